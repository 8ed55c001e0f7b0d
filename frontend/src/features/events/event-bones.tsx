/** The placeholder of three cards. It has their height, so that the content below does not move. */
export function EventBones() {
  return (
    <div aria-hidden="true" className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
      {['uno', 'dos', 'tres'].map((bone, i) => (
        <div key={bone} className={`hueso h-[29rem] sm:h-[27rem] ${i === 2 ? 'sm:max-lg:hidden' : ''}`} />
      ))}
    </div>
  )
}
