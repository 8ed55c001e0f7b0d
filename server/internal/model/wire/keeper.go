package wire

import "strings"

// sharedText is the maximum size of a text in bytes of which strings that are stored may be parts. A part of a text
// keeps the memory of the whole text, however short it is.
const sharedText = 4 << 10

// keeper copies strings out of a text, so that the text's memory can be freed while one of them is in use.
type keeper struct {
	// copies is set if strings are copied. Otherwise they remain parts of the text.
	copies bool
	// chunk holds copies of short strings, many in one allocation.
	chunk strings.Builder
}

// keep returns a string that does not keep more than sharedText in memory beside its own bytes.
func (k *keeper) keep(s string) string {
	const short = 256
	switch {
	case !k.copies || s == "":
		return s
	case len(s) > short:
		return strings.Clone(s)
	}
	if k.chunk.Cap()-k.chunk.Len() < len(s) {
		k.chunk.Reset()
		k.chunk.Grow(sharedText)
	}
	at := k.chunk.Len()
	k.chunk.WriteString(s)
	return k.chunk.String()[at:]
}
