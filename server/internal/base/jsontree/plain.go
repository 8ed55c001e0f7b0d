package jsontree

import "bytes"

// Plain returns a text without its comments, // and /* */, which the Firebase CLI allows in its files. It replaces
// them by blanks, so that everything after them keeps its line and column. Invalid JSON stays invalid.
func Plain(text []byte) []byte {
	plain := bytes.Clone(text)
	for i := 0; i < len(plain); {
		switch {
		case plain[i] == '"':
			i = afterString(plain, i)
		case bytes.HasPrefix(plain[i:], []byte("//")):
			i = blank(plain, i, bytes.IndexByte(plain[i:], '\n'))
		case bytes.HasPrefix(plain[i:], []byte("/*")):
			end := bytes.Index(plain[i+2:], []byte("*/"))
			if end >= 0 {
				end += 4
			}
			i = blank(plain, i, end)
		default:
			i++
		}
	}
	return plain
}

// Blank returns a text of blanks and line ends that is as long as text and has its lines.
func Blank(text []byte) []byte {
	out := bytes.Clone(text)
	blank(out, 0, -1)
	return out
}

// afterString returns the index after the string that begins at i.
func afterString(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// blank replaces n bytes from i on by blanks, or all of them if n is negative, and returns the index after them. It
// keeps line ends.
func blank(text []byte, i, n int) int {
	end := i + n
	if n < 0 {
		end = len(text)
	}
	for ; i < end; i++ {
		if text[i] != '\n' {
			text[i] = ' '
		}
	}
	return end
}
