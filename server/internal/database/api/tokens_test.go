package api

import (
	"slices"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/query"
	"clave/server/internal/model/value"
)

func TestPageTokensRoundTrip(t *testing.T) {
	name := value.Reference("projects/p/databases/d/documents/c/x")
	c, err := parseCursorToken(cursorToken(&query.Cursor{Values: []value.Value{value.Int(1), name}}), 2)
	if err != nil || len(c.Values) != 2 || c.Values[1] != name || c.Before {
		t.Errorf("cursor = %v, %v", c, err)
	}
	if id, err := parseIDToken(idToken("é")); err != nil || id != "é" {
		t.Errorf("id = %q, %v", id, err)
	}
	if c, err := parseCursorToken("", 2); c != nil || err != nil {
		t.Errorf("no token: %v, %v", c, err)
	}
}

func TestBrokenPageTokensAreRefused(t *testing.T) {
	good := cursorToken(&query.Cursor{Values: []value.Value{value.Int(1), value.Int(2)}})
	for _, s := range []string{"x", "not-a-token", "====", good, good + "AA", idToken("a")} {
		if c, err := parseCursorToken(s, 2); !fault.Is(err, fault.InvalidArgument) || fault.FromError(err).Message != "invalid page token" {
			t.Errorf("parseCursorToken(%q) = %v, %v; want InvalidArgument", s, c, err)
		}
	}
	for _, s := range []string{"x", "zz", "aQ", good} {
		if id, err := parseIDToken(s); !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("parseIDToken(%q) = %q, %v; want InvalidArgument", s, id, err)
		}
	}
}

func FuzzPageTokens(f *testing.F) {
	f.Add(cursorToken(&query.Cursor{Values: []value.Value{value.Int(1), value.Reference("projects/p/databases/d/documents/c/x")}}), 2)
	f.Fuzz(func(t *testing.T, s string, values int) {
		if values < 1 {
			return
		}
		if c, err := parseCursorToken(s, values); err == nil && c != nil && len(c.Values) != values {
			t.Errorf("parseCursorToken(%q, %d) has %d values", s, values, len(c.Values))
		}
		if id, err := parseIDToken(s); err == nil && s != "" && id == "" {
			t.Errorf("parseIDToken(%q) is empty", s)
		}
	})
}

func TestParseOrderBy(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", ""}, {" ", ""}, {"a", "a"}, {"a asc, b.c DESC", "a -b.c"}, {"`a b`", "`a b`"}, {"`a,b` desc, `c\\`d`.e", "-`a,b` `c\\`d`.e"}, {"`a` b", "refused"}, {"`a", "refused"}, {"a,", "refused"},
		{"__x__", "refused"}, {"__name__.a", "refused"}, {"a sideways", "refused"}, {"a,,b", "refused"}, {"a b c", "refused"},
		{"a..b", "refused"}, {"__name__ desc", "-__name__"},
	}
	for _, tt := range tests {
		orders, err := parseOrderBy(tt.in)
		var got []string
		for _, o := range orders {
			text := o.Path.String()
			if o.Desc {
				text = "-" + text
			}
			got = append(got, text)
		}
		if err != nil {
			got = []string{"refused"}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("parseOrderBy(%q) = %q, %v; want %q", tt.in, got, err, tt.want)
		}
	}
}

// FuzzParseOrderBy checks that the text of a parsed order is parsed to the same order.
func FuzzParseOrderBy(f *testing.F) {
	f.Add("a desc, b.`c d`")
	f.Add("`a,b\\``.c asc")
	f.Fuzz(func(t *testing.T, in string) {
		orders, err := parseOrderBy(in)
		if err != nil {
			if !fault.Is(err, fault.InvalidArgument) {
				t.Errorf("parseOrderBy(%q) = %v, want InvalidArgument", in, err)
			}
			return
		}
		var clauses []string
		for _, o := range orders {
			direction := " asc"
			if o.Desc {
				direction = " DESC"
			}
			clauses = append(clauses, o.Path.String()+direction)
		}
		again, err := parseOrderBy(strings.Join(clauses, ","))
		same := func(a, b query.Order) bool { return a.Desc == b.Desc && a.Path.Equal(b.Path) }
		if err != nil || !slices.EqualFunc(orders, again, same) {
			t.Errorf("parseOrderBy(%q) = %v, printed and read again %v, %v", in, orders, again, err)
		}
	})
}
