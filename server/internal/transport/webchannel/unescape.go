package webchannel

import "strings"

// notHex is the value of bytes that are no hexadecimal digits.
const notHex = 0xFF

// digits are the values of hexadecimal digits, and notHex for all other bytes.
var digits = func() (d [256]byte) {
	for i := range d {
		d[i] = notHex
	}
	for i := range byte(10) {
		d['0'+i] = i
	}
	for i := range byte(6) {
		d['a'+i], d['A'+i] = 10+i, 10+i
	}
	return d
}()

// unescape decodes a value of a form, as url.QueryUnescape does in more time: messages have many escapes. The result is
// the value itself if it has none. ok is false if one is not valid.
func unescape(s string) (text string, ok bool) {
	escapes := strings.Count(s, "%")
	if escapes == 0 && !strings.Contains(s, "+") {
		return s, true
	}
	var b strings.Builder
	b.Grow(max(len(s)-2*escapes, 0))
	from := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '+':
			b.WriteString(s[from:i])
			b.WriteByte(' ')
			from = i + 1
		case '%':
			if i+2 >= len(s) || digits[s[i+1]] == notHex || digits[s[i+2]] == notHex {
				return "", false
			}
			b.WriteString(s[from:i])
			b.WriteByte(digits[s[i+1]]<<4 | digits[s[i+2]])
			i += 2
			from = i + 1
		}
	}
	b.WriteString(s[from:])
	return b.String(), true
}
