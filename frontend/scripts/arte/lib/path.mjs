/** Rounds a coordinate so that files stay small: a tenth of a unit can't be seen. */
export const n = (value) => +value.toFixed(1)

/** Joins points by a Catmull-Rom spline, written as cubic Béziers. */
export function smooth(points) {
  let d = `M${n(points[0][0])} ${n(points[0][1])}`
  for (let i = 0; i < points.length - 1; i++) {
    const before = points[Math.max(i - 1, 0)]
    const from = points[i]
    const to = points[i + 1]
    const after = points[Math.min(i + 2, points.length - 1)]
    d += `C${n(from[0] + (to[0] - before[0]) / 6)} ${n(from[1] + (to[1] - before[1]) / 6)} `
    d += `${n(to[0] - (after[0] - from[0]) / 6)} ${n(to[1] - (after[1] - from[1]) / 6)} ${n(to[0])} ${n(to[1])}`
  }
  return d
}

/** The points of y(x) from x0 to x1, every step units. */
export function sample(y, x0, x1, step = 40) {
  const points = []
  for (let x = x0; x <= x1; x += step) points.push([x, y(x)])
  return points
}

/** A swell: the sum of two sines. Amplitude, wave length and phase of each. */
export const swell =
  (y, a, length, phase, a2 = 0, length2 = 300, phase2 = 0) =>
  (x) =>
    y +
    a * Math.sin((x / length) * 2 * Math.PI + phase) +
    a2 * Math.sin((x / length2) * 2 * Math.PI + phase2)

/** A flat band whose upper edge is y(x) and whose lower edge is the foot. */
export const band = (y, x0, x1, foot, fill) =>
  `<path d="${smooth(sample(y, x0, x1))}V${n(foot)}H${n(x0)}Z" fill="${fill}"/>`

/** A broken line of foam along y(x). */
export const foam = (y, x0, x1, colour, width = 3, dashes = '120 46 34 60') =>
  `<path d="${smooth(sample(y, x0, x1))}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-dasharray="${dashes}" stroke-linecap="round"/>`

/** A point at an angle (degrees, clockwise from the right) and a distance. */
export const polar = (cx, cy, radius, degrees) => [
  cx + radius * Math.cos((degrees * Math.PI) / 180),
  cy + radius * Math.sin((degrees * Math.PI) / 180),
]
