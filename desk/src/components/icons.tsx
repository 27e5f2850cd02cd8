const PATHS = {
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  news: 'M6 17V11a6 6 0 0 1 12 0v6l1.500 2h-15zM10 21h4',
  exams: 'M7 3h7l5 5v13H7zM14 3v5h5M10 13h6M10 17h4',
  progress: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
  practice: 'M20 11a8 8 0 1 0-2.500 6.500M20 5v6h-6M12 8v4l3 2',
  tutor: 'M3 9l9-5 9 5-9 5zM7 11.5V16c3 2.5 7 2.5 10 0v-4.5',
  chat: 'M4 5h16v11H9l-5 4z',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c0-4 3-6 6.5-6s6.5 2 6.5 6M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14.5c2.200.8 3.5 2.700 3.5 5.5',
  notes: 'M5 3h11l3 3v15H5zM9 9h6M9 13h6M9 17h3',
  classes: 'M4 20V9.500L12 4l8 5.500V20M2.500 20h19M9.500 20v-6h5v6',
  library: 'M4 4h4v16H4zM10 4h4v16h-4zM16 5l3.5-.8L22 19l-3.5.8z',
  teach: 'M3 4h18v12H3zM8 20h8M12 16v4',
  make: 'M12 3v4M12 17v4M3 12h4M17 12h4M6 6l2.5 2.5M15.5 15.5 18 18M18 6l-2.5 2.5M8.5 15.5 6 18',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-4.5 3.5-7 8-7s8 2.5 8 7',
  challenges: 'M5 21V4h13l-2.500 4 2.500 4H5',
  roles: 'M12 3l8 3v6c0 5-3.500 7.500-8 9-4.500-1.500-8-4-8-9V6z',
  requests: 'M14 14.500a5.500 5.500 0 1 0-5-3.300L3 17.200V21h4v-2.500h2.500V16zM15.500 8.500v.1',
  categories: 'M4 4h7.500L20 12.500 12.500 20 4 11.500zM8 8v.1',
  reports: 'M12 4l9.500 16h-19zM12 10v4M12 17v.1',
  list: 'M4 6v.1M4 12v.1M4 18v.1M9 6h11M9 12h11M9 18h11',
  more: 'M4 7h16M4 12h16M4 17h16',
  attach:
    'M20 11l-8.500 8.500a5 5 0 0 1-7-7L13 4a3.400 3.400 0 0 1 4.800 4.800L9.500 17a1.700 1.700 0 0 1-2.400-2.400L14.500 7.200',
  back: 'M15 5l-7 7 7 7',
  options: 'M4 7h9M17 7h3M15 4.5v5M4 17h3M11 17h9M9 14.5v5',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2',
  muted: 'M6 17V11a6 6 0 0 1 9-5.2M18 11v6H8M10 20h4M4 4l16 16',
  pinned: 'M9 4h6l-1 6 3 3H7l3-3zM12 13v7',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
