package attack

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Print writes the report as text. The file is the name of the rules.
func (r *Report) Print(w io.Writer, file string) error {
	var b strings.Builder
	notes, explained := 0, 0
	for i := range r.Findings {
		f := &r.Findings[i]
		switch {
		case f.Note:
			notes++
		case f.Explained != "":
			explained++
		}
		fmt.Fprintf(&b, "%s:%d: %s: %s of %s, %s", file, f.Line, f.Kind, f.Method, f.Path, f.What)
		if f.Explained != "" {
			fmt.Fprintf(&b, " (explained: %s)", f.Explained)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%d findings, %d explained, %d notes; %d of %d statements reached, %d requests tried\n",
		r.Open(), explained, notes, r.Reached, r.Statements, r.Requests)
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteJSON writes the report as JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
