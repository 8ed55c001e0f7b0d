package webchannel

import (
	"net/url"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func TestParseForward(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []forwardMap
		err        bool
	}{
		{"nothing", "", nil, false},
		{"none", "count=0", nil, false},
		{"one", "count=1&ofs=7&req0___data__=%7B%22a%22%3A+1%7D", []forwardMap{{7, `{"a": 1}`}}, false},
		{"sparse and unordered", "count=2&ofs=3&req5___data__=b&req2___data__=a", []forwardMap{{5, "a"}, {8, "b"}}, false},
		{"other keys", "count=1&ofs=0&req0_type=x&req0___data__=a&other=1", []forwardMap{{0, "a"}}, false},
		{"twice", "count=2&ofs=4&req0___data__=a&req0___data__=b", nil, true},
		{"more than the count", "count=1&req0___data__=a&req1___data__=b", nil, true},
		{"too many", "count=1001", nil, true},
		{"too many without a count", strings.Repeat("req0___data__=a&", 1001), nil, true},
		{"headers", "headers=" + strings.Repeat("a%3Ab%0D%0A", 10_000), nil, false},
		{"too many headers", "headers=" + strings.Repeat("a%3Ab%0D%0A", 20_000), nil, true},
		{"negative", "count=-1", nil, true},
		{"no number", "count=1&reqx___data__=a", nil, true},
		{"bad escape", "count=1&req0___data__=%G1", nil, true},
	} {
		f, err := parseForward(c.body)
		if (err != nil) != c.err {
			t.Errorf("%s: error = %v, want one: %v", c.name, err, c.err)
			continue
		}
		if err == nil && !equalMaps(f.maps, c.want) {
			t.Errorf("%s: maps = %v, want %v", c.name, f.maps, c.want)
		}
	}
}

// equalMaps compares messages.
func equalMaps(a, b []forwardMap) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestParseHeaders(t *testing.T) {
	h := parseHeaders("X-Goog-Api-Client:gl-js/ fire/12\r\nauthorization: Bearer a:b\r\nnonsense\r\n")
	if got := h.Get("Authorization"); got != "Bearer a:b" {
		t.Errorf("Authorization = %q", got)
	}
	if got := h.Get("X-Goog-Api-Client"); got != "gl-js/ fire/12" {
		t.Errorf("X-Goog-Api-Client = %q", got)
	}
}

func FuzzParseForward(f *testing.F) {
	f.Add("count=1&ofs=0&req0___data__=%7B%7D", "{}")
	f.Add("headers=A%3Ab%0D%0A&count=2&req1___data__=a&req0___data__=b", "ñ😀&=+%")
	f.Fuzz(func(t *testing.T, body, text string) {
		if p, err := parseForward(body); err == nil {
			for i := 1; i < len(p.maps); i++ {
				if p.maps[i].id <= p.maps[i-1].id {
					t.Errorf("numbers of %q do not rise: %v", body, p.maps)
				}
			}
		}
		p, err := parseForward("count=1&ofs=3&req0___data__=" + url.QueryEscape(text))
		if err != nil || p.maps[0] != (forwardMap{3, text}) {
			t.Errorf("message %q = %v, %v", text, p, err)
		}
	})
}

func FuzzUTF16Len(f *testing.F) {
	f.Add("é😀 a\U0010ffff")
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return // JSON is always valid UTF-8
		}
		if got, want := utf16Len([]byte(s)), len(utf16.Encode([]rune(s))); got != want {
			t.Errorf("utf16Len(%q) = %d, want %d", s, got, want)
		}
	})
}

// FuzzParseAddress compares the parameters with those of url.ParseQuery: the first one of a name that is not empty.
func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"", "&", "SID=a&RID=1&AID=2&TYPE=xmlhttp&CI=0&TO=5&database=projects%2Fp&%24httpHeaders=a%3Ab", "SID=a&SID=b", "SID=&SID=b", "S%49D=a", "SID=a;b", "SID=%", "%zz=1", "SID", "=a", "a+b=c+d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, query string) {
		values, err := url.ParseQuery(query)
		got, ok := parseAddress(query)
		if ok != (err == nil) {
			t.Fatalf("parseAddress(%q) = %v, want %v", query, ok, err)
		}
		for name, all := range values {
			if at := got.parameter(name); ok && at != nil {
				want := ""
				for _, v := range all {
					if want == "" {
						want = v
					}
				}
				if *at != want {
					t.Errorf("%s of %q = %q, want %q", name, query, *at, want)
				}
			}
		}
		if ok && got.session != "" && !values.Has("SID") {
			t.Errorf("parseAddress(%q) has a session", query)
		}
	})
}

func FuzzUnescape(f *testing.F) {
	for _, s := range []string{"", "a", "+", "%", "%4", "%41", "%4g", "%G1", "a+b%2Bc%2bd", "%%41", "%E2%82%AC", "+%", "%00", "x%7B%22a%22%3A+1%7D"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, err := url.QueryUnescape(s)
		got, ok := unescape(s)
		if got != want || ok != (err == nil) {
			t.Errorf("unescape(%q) = %q, %v, want %q, %v", s, got, ok, want, err)
		}
	})
}

// TestLargeFormsTakeLittleMemory parses forms that are refused: their parts must not be collected before.
func TestLargeFormsTakeLittleMemory(t *testing.T) {
	const most = 16 << 20
	for name, body := range map[string]string{
		"messages": strings.Repeat("req0___data__=a&", 700_000),
		"headers":  "headers=" + strings.Repeat("X%3Aa%0D%0A", 700_000),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := parseForward(body); err == nil {
			t.Errorf("many %s are accepted", name)
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > most {
			t.Errorf("many %s allocated %d MiB, want at most %d", name, used>>20, most>>20)
		}
	}
}
