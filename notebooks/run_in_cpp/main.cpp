// Loads a package that AOTInductor wrote, runs it on tensors from a file, and writes what it returns.
// No Python runs in here: the package holds the code, and its constants.
//
//   run_package model.pt2 inputs.pt outputs.pt [weights.pt]
//
// In Python, torch.save([x], "inputs.pt") writes the one and torch.load("outputs.pt") reads the other.
// With weights, as torch.save(dict(model.state_dict()), "weights.pt") writes them, these take the place
// of the package's own, without compiling again.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/serialize.h>

namespace {

std::vector<char> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  TORCH_CHECK(file, "There is no file ", path, ": check the path.");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(const std::string& path, const std::vector<char>& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  TORCH_CHECK(file, path, " cannot be written.");
}

// Gives the model other weights: the file has one for each constant that the package can replace.
void swap_weights(torch::inductor::AOTIModelPackageLoader& model, const std::string& path) {
  const c10::IValue given = torch::pickle_load(read(path));
  const auto named = given.toGenericDict();
  std::unordered_map<std::string, torch::Tensor> weights;
  for (const std::string& name : model.get_constant_fqns()) {
    TORCH_CHECK(named.contains(name), path, " has no ", name, ": save the whole state_dict.");
    weights.emplace(name, named.at(name).toTensor());
  }
  model.load_constants(weights, /*use_inactive=*/false, /*check_full_update=*/true);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::cerr << "usage: run_package MODEL.pt2 INPUTS.pt OUTPUTS.pt [WEIGHTS.pt]\n";
    return 2;
  }
  try {
    c10::InferenceMode no_gradients;
    torch::inductor::AOTIModelPackageLoader model(argv[1]);
    if (argc == 5) {
      swap_weights(model, argv[4]);
    }
    const c10::IValue given = torch::pickle_load(read(argv[2]));
    std::vector<torch::Tensor> inputs;
    for (const c10::IValue& input : given.toListRef()) {
      inputs.push_back(input.toTensor());
    }
    std::vector<c10::IValue> outputs;
    for (const torch::Tensor& output : model.run(inputs)) {
      std::cout << output.scalar_type() << output.sizes() << '\n';
      outputs.emplace_back(output);
    }
    write(argv[3], torch::pickle_save(c10::ivalue::Tuple::create(std::move(outputs))));
  } catch (const c10::Error& error) {
    std::cerr << error.what_without_backtrace() << '\n';
    return 1;
  }
}
