/** A question and its answer. */
export type Faq = { question: string; answer: string }

/** Questions of which at most one is open: the browser's own exclusive details. */
export function Accordion({ name, questions }: { name: string; questions: Faq[] }) {
  return (
    <div className="border-borde border-t-2">
      {questions.map(({ question, answer }) => (
        <details key={question} name={name} className="group border-borde border-b-2">
          <summary className="flex min-h-14 items-center justify-between gap-4 py-4 font-semibold marker:content-none">
            {question}
            <span aria-hidden="true" className="text-acento text-2xl leading-none transition-transform group-open:rotate-45">
              +
            </span>
          </summary>
          <p className="max-w-prose pr-8 pb-5">{answer}</p>
        </details>
      ))}
    </div>
  )
}
