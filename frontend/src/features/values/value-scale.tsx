import { acerca } from '../../content/acerca'

/** The seven notes of the scale, one for each value. */
const DEGREES = ['do', 're', 'mi', 'fa', 'sol', 'la', 'si'] as const

/** The note heads of the scale on a staff, from below the lines upwards. Each is above its value. */
function Scale() {
  return (
    <svg viewBox="0 0 700 142" className="hidden w-full lg:block" aria-hidden="true" focusable="false">
      <g className="stroke-texto" strokeWidth="2">
        {[24, 44, 64, 84, 104].map((y) => (
          <path key={y} d={`M0 ${y}H700`} />
        ))}
        <path d="M32 124H68" />
      </g>
      {DEGREES.map((degree, i) => {
        const y = 124 - i * 10
        const x = 50 + i * 100
        return (
          <g key={degree} className={i % 2 ? 'fill-acento stroke-acento' : 'fill-texto stroke-texto'}>
            <ellipse cx={x} cy={y} rx="13" ry="9.500" transform={`rotate(-20 ${x} ${y})`} stroke="none" />
            <path
              d={i < 6 ? `M${x + 11.5} ${y - 3}V${y - 66}` : `M${x - 11.5} ${y + 3}V${y + 60}`}
              strokeWidth="3.500"
              strokeLinecap="round"
            />
          </g>
        )
      })}
    </svg>
  )
}

/** The seven values as the seven notes of a scale (F-141). */
export function ValueScale() {
  return (
    <>
      <Scale />
      <ol className="grid gap-x-6 gap-y-6 sm:grid-cols-2 lg:mt-4 lg:grid-cols-7 lg:gap-x-4">
        {acerca.values.list.map(({ name, text }, i) => (
          <li key={name} className="border-texto border-l-4 pl-4 lg:border-l-0 lg:pl-0 lg:text-center">
            <p className="text-acento text-sm font-semibold" aria-hidden="true">
              {DEGREES[i]}
            </p>
            <h3 className="font-semibold">{name}</h3>
            <p className="mt-1 text-sm">{text}</p>
          </li>
        ))}
      </ol>
    </>
  )
}
