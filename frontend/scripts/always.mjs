/**
 * The chunks of the site's script that every page loads: the entry, and its imports in separate tasks (src/main.ts).
 * The other imports of the entry are pages and their metadata.
 */
export function always(manifest) {
  const entry = Object.keys(manifest).find((key) => manifest[key].isEntry)
  const parts = (manifest[entry].dynamicImports ?? []).filter((key) => !/^src\/(?:routes\/|meta\.)/.test(key))
  if (parts.length !== 2) throw new Error(`the entry asks for ${parts.join(', ')}, not for React and the frame of the site`)
  return [entry, ...parts]
}
