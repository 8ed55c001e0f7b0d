/**
 * The parts of the site's script that every page needs: the entry, and what it imports in separate tasks (src/main.ts).
 * Its other imports are pages and their metadata.
 */
export function always(manifest) {
  const entry = Object.keys(manifest).find((key) => manifest[key].isEntry)
  const parts = (manifest[entry].dynamicImports ?? []).filter((key) => !/^src\/(?:routes\/|meta\.)/.test(key))
  if (parts.length !== 2) throw new Error(`the entry asks for ${parts.join(', ')}, not for React and the frame of the site`)
  return [entry, ...parts]
}
