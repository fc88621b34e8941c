// Memory over one call: the variants' courses on one axis, and what holds each peak.
import type { CourseView, MemoryCoursesView } from "../core/types.generated";
import { Go } from "../ui/bits";
import { Table } from "../ui/copy/table";

const WIDTH = 600;
const HEIGHT = 120;

/** A path that stays level until the next change. */
export function steps(course: CourseView, most: number): string {
  const y = (bytes: number): number => HEIGHT - (HEIGHT * bytes) / Math.max(1, most);
  const moves = course.points.map(([at, bytes]) => `H${(at * WIDTH).toFixed(1)}V${y(bytes).toFixed(1)}`);
  return `M0 ${HEIGHT}${moves.join("")}H${WIDTH}`;
}

function Holders({ course }: { course: CourseView }) {
  return (
    <Table class="dl-table">
      <caption>{course.name}: {course.peak} at its peak</caption>
      <tbody>
        {course.holders.map((one, i) => (
          <tr key={i}><td class="dl-times">{one.size}</td><td>{one.share}</td><td><code>{one.operator}</code></td><td>{one.entity && <Go to={one.entity}>{one.where}</Go>}</td></tr>
        ))}
      </tbody>
    </Table>
  );
}

export function BenchMemory({ view }: { view: MemoryCoursesView }) {
  return (
    <div class="dl-bench-body">
      {view.sentence && <p>{view.sentence}</p>}
      <svg class="dl-courses" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label="Memory over one call">
        {view.courses.map((course, i) => (
          <path key={course.way} class={`dl-course dl-course-${i % 4}`} d={steps(course, view.most)}><title>{`${course.name}: ${course.peak} at its peak`}</title></path>
        ))}
      </svg>
      <p class="dl-course-names">{view.courses.map((course, i) => <span key={course.way}><i class={`dl-course-name dl-course-${i % 4}`} />{course.name} </span>)}</p>
      {view.courses.map((course) => <Holders key={course.way} course={course} />)}
    </div>
  );
}
