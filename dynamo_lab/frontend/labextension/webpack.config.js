// The usual numbers of modules come from their paths: the same sources in another folder would
// give another file, and CI could not tell whether what is committed is what this builds.
module.exports = { optimization: { moduleIds: "natural" } };
