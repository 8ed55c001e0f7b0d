/**
 * The parts of the site's script that every page needs: the entry, and what it asks for in turns of their own (src/main.ts).
 * The rest of what it may ask for is pages, and what their heads say.
 */
export function always(manifest) {
  const entry = Object.keys(manifest).find((key) => manifest[key].isEntry)
  const parts = (manifest[entry].dynamicImports ?? []).filter((key) => !/^src\/(?:routes\/|meta\.)/.test(key))
  if (parts.length !== 2) throw new Error(`the entry asks for ${parts.join(', ')}, not for React and the frame of the site`)
  return [entry, ...parts]
}
