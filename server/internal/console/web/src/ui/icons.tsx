const PATHS = {
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  plus: 'M12 5v14M5 12h14',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20 20l-4-4',
  back: 'M15 5l-7 7 7 7',
  filter: 'M4 6h16M7 12h10M10 18h4',
  refresh: 'M20 11a8 8 0 1 0-2.3 6.3M20 4v7h-7',
  open: 'M9 6l6 6-6 6',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  // The pages of the menu, by their ids.
  data: 'M4 6c0-1.7 3.6-3 8-3s8 1.3 8 3-3.6 3-8 3-8-1.3-8-3zM4 6v12c0 1.7 3.6 3 8 3s8-1.3 8-3V6M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3',
  users: 'M9 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM2 20c0-3.3 3-5 7-5s7 1.7 7 5M16 4.5a4 4 0 0 1 0 7M18.5 15.5c2.2.7 3.5 2 3.5 4.5',
  auth: 'M8 11a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM11.5 12.5L20 4M16 8l3 3',
  appcheck: 'M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6zM9 12l2 2 4-4',
  requests: 'M4 8h16l-4-4M20 16H4l4 4',
  denials: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM5.6 5.6l12.8 12.8',
  rules: 'M6 3h8l4 4v14H6zM9 11l2 2-2 2M13 16h2',
  now: 'M3 12h4l3-8 4 16 3-8h4',
  codes: 'M3 6h18v12H3zM3 7l9 6 9-6',
  indexes: 'M4 6h10M4 12h7M4 18h4M18 5v14M15 16l3 3 3-3',
  events: 'M13 3L5 14h6l-1 7 8-11h-6z',
  backups: 'M3 5h18v4H3zM5 9v11h14V9M10 13h4',
  safety: 'M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6zM12 8v5M12 16h.01',
  lab: 'M9 3h6M10 3v6L4.5 19c-.5 1 .1 2 1.2 2h12.6c1.1 0 1.7-1 1.2-2L14 9V3M7.5 15h9',
  audit: 'M8 4h8v3H8zM16 5h3v16H5V5h3M9 12h6M9 16h4',
} as const

export type IconName = keyof typeof PATHS

/** An icon. The button around it has the label. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      className="icon-only"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
