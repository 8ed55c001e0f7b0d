import { SlotImage } from '../../art/slot-image'
import { inicio } from '../../content/inicio'

type Voice = (typeof inicio.testimonials.list)[number]

/** The large quote, with a drawing. */
function Large({ text, who }: Voice) {
  return (
    <figure className="cartel cartel-sol grid h-full gap-6 sm:grid-cols-[minmax(0,1fr)_11rem] sm:items-center">
      <div>
        <blockquote className="font-titular text-[clamp(1.75rem,1.1rem+2.6vw,3rem)] leading-[1.1] font-extrabold tracking-tight text-balance">
          <p>«{text}»</p>
        </blockquote>
        <figcaption className="mt-6 font-semibold">{who}</figcaption>
      </div>
      <SlotImage slot="historia-6" decorative sizes="176px" className="h-auto w-44 rounded-sm border-3 border-[#0b3c49] max-sm:hidden" />
    </figure>
  )
}

/** A quote beside the large one. */
function Small({ text, who }: Voice) {
  return (
    <figure className="border-acento border-t-4 pt-4">
      <blockquote className="font-titular text-xl leading-snug font-bold">
        <p>«{text}»</p>
      </blockquote>
      <figcaption className="text-suave mt-3 font-semibold">{who}</figcaption>
    </figure>
  )
}

/** Three quotes about the foundation (F-108). The last one is large and shown first. */
export function Testimonials() {
  const { list } = inicio.testimonials
  return (
    <ul className="grid gap-10 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)] lg:gap-14">
      {list.map((voice, i) =>
        i === list.length - 1 ? (
          <li key={voice.who} className="order-first lg:row-span-2">
            <Large {...voice} />
          </li>
        ) : (
          <li key={voice.who}>
            <Small {...voice} />
          </li>
        ),
      )}
    </ul>
  )
}
