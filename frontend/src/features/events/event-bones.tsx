/** The room of three cards while they are on their way. */
export function EventBones() {
  return (
    <div aria-hidden="true" className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
      {['uno', 'dos', 'tres'].map((bone, i) => (
        <div key={bone} className={`hueso h-[27rem] ${i ? 'max-sm:hidden' : ''} ${i === 2 ? 'max-lg:hidden' : ''}`} />
      ))}
    </div>
  )
}
