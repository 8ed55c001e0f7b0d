/** The icons of the frame. They are few, and drawn here so that the first paint needs no icon library. */
const STROKES = {
  below: 'm6 9 6 6 6-6',
  left: 'm15 18-6-6 6-6',
  right: 'm9 18 6-6-6-6',
  menu: 'M4 6h16M4 12h16M4 18h16',
  close: 'M18 6 6 18M6 6l12 12',
  pause: 'M7 4h3v16H7zM14 4h3v16h-3z',
  play: 'M6 4l14 8-14 8z',
  moon: 'M20.5 14.5A9 9 0 1 1 9.5 3.5a7 7 0 0 0 11 11z',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M5 5l1.4 1.4M17.6 17.6 19 19M2 12h2M20 12h2M6.4 17.6 5 19M19 5l-1.4 1.4',
  letter: 'M3 5h18v14H3zM3 7l9 6 9-6',
  phone: 'M5 3h4l2 5-2.5 1.5a11 11 0 0 0 6 6L16 13l5 2v4a2 2 0 0 1-2 2A16 16 0 0 1 3 5a2 2 0 0 1 2-2z',
}

/** A decorative icon. The control around it has the label. */
export function Sign({ name, size = 24, className }: { name: keyof typeof STROKES; size?: number; className?: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
      className={className}
    >
      <path d={STROKES[name]} />
    </svg>
  )
}
