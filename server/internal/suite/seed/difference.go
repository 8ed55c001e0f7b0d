package seed

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"clave/server/internal/base/terminal"
	"clave/server/internal/model/value"
)

// Action is what Apply does because of a difference.
type Action string

// The actions.
const (
	Add    Action = "add"
	Change Action = "change"
	Remove Action = "remove"
)

// Difference is a difference between a seed and a target.
type Difference struct {
	// Action is what Apply does.
	Action Action `json:"action"`
	// Kind is document, user or tenant.
	Kind string `json:"kind"`
	// Name is the path of a document, or the id of an account, which follows that of its tenant and a slash, or the id
	// of a tenant.
	Name string `json:"name"`
	// Place is where the seed describes it; empty for what it does not.
	Place string `json:"place,omitempty"`
	// Members are the members that differ, for a change. Passwords are never shown.
	Members []Member `json:"members,omitempty"`
	// Unlisted is the number of further members that differ.
	Unlisted int `json:"unlisted,omitempty"`

	document *Document
	user     *userChange
	tenant   *Tenant
	remove   func(ctx context.Context, t *Target) error
}

// Member is a member that differs.
type Member struct {
	// Path is the way to the member.
	Path string `json:"path"`
	// Want is the value in the seed, and Have that in the target, as texts for people; empty if there is none.
	Want string `json:"want,omitempty"`
	Have string `json:"have,omitempty"`
}

// maxMembers is the maximum number of members of a difference.
const maxMembers = 20

// member adds a member that differs.
func (d *Difference) member(path, want, have string) {
	if len(d.Members) == maxMembers {
		d.Unlisted++
		return
	}
	d.Members = append(d.Members, Member{path, want, have})
}

// compareFields adds the fields that differ.
func (d *Difference) compareFields(path string, want, have value.Map) {
	for _, name := range value.SortedKeys(want) {
		there, ok := have[name]
		inner := fieldPath(path, name)
		if ok && same(want[name], there) {
			continue
		}
		x, wanted := want[name].(value.Map)
		y, had := there.(value.Map)
		switch {
		case wanted && had && x.Kind() == value.KindMap && y.Kind() == value.KindMap:
			d.compareFields(inner, x, y)
		case ok:
			d.member(inner, show(want[name]), show(there))
		default:
			d.member(inner, show(want[name]), "")
		}
	}
	for _, name := range value.SortedKeys(have) {
		if _, ok := want[name]; !ok {
			d.member(fieldPath(path, name), "", show(have[name]))
		}
	}
}

// fieldPath returns the path of a field.
func fieldPath(path, name string) string {
	name = value.FieldPath{name}.String()
	if path == "" {
		return name
	}
	return path + "." + name
}

// maxShown is the maximum number of bytes of a value in a difference.
const maxShown = 80

// show returns a value for people.
func show(v value.Value) string {
	text := []byte(nil)
	text = appendShown(text, plain(v))
	if len(text) <= maxShown {
		return string(text)
	}
	cut := maxShown
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return string(text[:cut]) + "…"
}

// appendShown appends a value for people. It stops soon after maxShown bytes.
func appendShown(b []byte, v value.Value) []byte { // long: one case a kind
	if len(b) > maxShown {
		return b
	}
	switch x := v.(type) {
	case value.Null:
		return append(b, "null"...)
	case value.Bool:
		return strconv.AppendBool(b, bool(x))
	case value.Int:
		return strconv.AppendInt(b, int64(x), 10)
	case value.Double:
		text := strconv.FormatFloat(float64(x), 'g', -1, 64)
		if !strings.ContainsAny(text, ".eEN") {
			text += ".0"
		}
		return append(b, text...)
	case value.Timestamp:
		return append(b, x.Time().Format("2006-01-02T15:04:05.999999Z")...)
	case value.String:
		return strconv.AppendQuote(b, string(x[:min(len(x), 2*maxShown)]))
	case value.Bytes:
		return fmt.Appendf(b, "%d bytes", len(x))
	case value.Reference:
		return append(b, x...)
	case value.GeoPoint:
		return fmt.Appendf(b, "[%g, %g]", x.Lat, x.Lng)
	case value.Array:
		b = append(b, '[')
		for i, item := range x {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = appendShown(b, item)
		}
		return append(b, ']')
	case value.Map:
		b = append(b, '{')
		for i, name := range value.SortedKeys(x) {
			if i > 0 {
				b = append(b, ", "...)
			}
			if len(b) > maxShown {
				break
			}
			b = append(append(b, name...), ": "...)
			b = appendShown(b, x[name])
		}
		return append(b, '}')
	}
	return b
}

// Compare returns the differences between a seed and a target: the tenants first, then accounts, then documents. With
// prune it also returns what the target has and the seed does not: documents in collections of which the seed has
// documents, and accounts beside those of the seed.
func Compare(ctx context.Context, t *Target, s *Seed, prune bool) ([]*Difference, error) {
	var out []*Difference
	for _, compare := range []func(context.Context, *Target, *Seed, bool) ([]*Difference, error){compareTenants, compareUsers, compareDocuments} {
		found, err := compare(ctx, t, s, prune)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// Apply writes what the differences require. Documents of one commit are written together: at most 400 of them.
func Apply(ctx context.Context, t *Target, differences []*Difference) error {
	var documents []*Difference
	for _, d := range differences {
		var err error
		switch {
		case d.Kind == kindDocument:
			documents = append(documents, d)
			continue
		case d.remove != nil:
			err = d.remove(ctx, t)
		case d.user != nil:
			err = d.user.apply(ctx, t)
		case d.tenant != nil:
			err = d.tenant.apply(ctx, t, d.Action)
		}
		if err != nil {
			return err
		}
	}
	return writeDocuments(ctx, t, documents)
}

// The kinds of differences.
const (
	kindDocument = "document"
	kindUser     = "user"
	kindTenant   = "tenant"
)

// Print prints differences for people, a line for each and for each member that differs.
func Print(w io.Writer, differences []*Difference) {
	signs := map[Action]string{Add: "+", Change: "~", Remove: "-"}
	for _, d := range differences {
		fmt.Fprintf(w, "%s %s %s", signs[d.Action], d.Kind, terminal.Text(d.Name))
		if d.Place != "" {
			fmt.Fprintf(w, "  (%s)", d.Place)
		}
		fmt.Fprintln(w)
		for _, m := range d.Members {
			m = Member{terminal.Text(m.Path), terminal.Text(m.Want), terminal.Text(m.Have)}
			switch {
			case m.Want == "" && m.Have == "":
				fmt.Fprintf(w, "    %s differs\n", m.Path)
			case m.Want == "":
				fmt.Fprintf(w, "    %s: %s, in the seed none\n", m.Path, m.Have)
			case m.Have == "":
				fmt.Fprintf(w, "    %s: none, in the seed %s\n", m.Path, m.Want)
			default:
				fmt.Fprintf(w, "    %s: %s, in the seed %s\n", m.Path, m.Have, m.Want)
			}
		}
		if d.Unlisted > 0 {
			fmt.Fprintf(w, "    and %d more\n", d.Unlisted)
		}
	}
}

// PrintJSON prints differences as a list of JSON.
func PrintJSON(w io.Writer, differences []*Difference) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	if differences == nil {
		differences = []*Difference{}
	}
	return enc.Encode(differences)
}
