import { useMedia } from '../lib/use-media'

/** Whether the panel is as narrow as a phone. */
export const useNarrow = () => useMedia('(max-width: 639.98px)')
