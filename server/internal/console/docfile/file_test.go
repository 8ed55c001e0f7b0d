package docfile_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"clave/server/internal/console/docfile"
	"clave/server/internal/model/value"
)

// root is the root of the documents' database.
const root = "projects/p/databases/(default)/documents"

// everything has a value of each type.
var everything = value.Map{
	"text": value.String("a <b> \"c\"\nd"), "big": value.Int(math.MaxInt64), "two": value.Double(2), "small": value.Double(1e-7), "huge": value.Double(1e21),
	"zero": value.Double(math.Copysign(0, -1)), "nan": value.Double(math.NaN()), "yes": value.Bool(true), "nothing": value.Null{},
	"when": value.Timestamp{Seconds: 1896091200, Nanos: 123456000}, "blob": value.Bytes("hello"),
	"to":    value.Reference(root + "/people/ann"),
	"there": value.Reference("projects/p/databases/other/documents/people/ann"),
	"place": value.GeoPoint{Lat: 18.5, Lng: -69},
	"list":  value.Array{value.Int(1), value.Map{"x": value.Array{}}}, "empty": value.Map{},
	"vector": value.Map{"__type__": value.String("__vector__"), "value": value.Array{value.Double(0.5), value.Double(1)}},
	"tag":    value.Map{"$bytes": value.Int(1)},
}

// write returns the text of a file.
func write(t *testing.T, file func(*strings.Builder) docfile.File, documents ...value.Map) string {
	t.Helper()
	var b strings.Builder
	f := file(&b)
	for i, fields := range documents {
		if err := f.Write(fmt.Sprintf("d%d", i), fields); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestJSON(t *testing.T) {
	got := write(t, func(b *strings.Builder) docfile.File { return docfile.NewJSON(b, root) }, everything, nil)
	want := `{
  "d0": {
    "big": 9223372036854775807,
    "blob": { "$bytes": "aGVsbG8=" },
    "empty": {},
    "huge": 1e+21,
    "list": [
      1,
      {
        "x": []
      }
    ],
    "nan": { "$double": "NaN" },
    "nothing": null,
    "place": { "$geopoint": [18.5, -69] },
    "small": 1e-7,
    "tag": { "$map": {
      "$bytes": 1
    } },
    "text": "a <b> \"c\"\nd",
    "there": { "$reference": "projects/p/databases/other/documents/people/ann" },
    "to": { "$reference": "people/ann" },
    "two": 2.0,
    "vector": { "$vector": [0.5, 1] },
    "when": { "$timestamp": "2030-01-31T12:00:00.123456Z" },
    "yes": true,
    "zero": -0.0
  },
  "d1": {}
}
`
	if got != want {
		t.Errorf("the file is %s, want %s", got, want)
	}
	if got := write(t, func(b *strings.Builder) docfile.File { return docfile.NewJSON(b, root) }); got != "{}\n" {
		t.Errorf("the file without documents is %q", got)
	}
}

func TestCSV(t *testing.T) {
	cells := []struct {
		name string
		in   value.Value
		want string
	}{
		{"a word", value.String("word"), "word"},
		{"a day", value.String("2030-01-31"), "2030-01-31"},
		{"nothing", value.String(""), `"""""" `},
		{"digits", value.String("12"), `"""12"""`},
		{"digits and a space", value.String("12 "), `"""12 """`},
		{"a word of JSON", value.String("true"), `"""true"""`},
		{"a formula", value.String("=1+1"), `"""=1+1"""`},
		{"a wide formula", value.String("＝1"), `"""＝1"""`},
		{"a quote", value.String(`"a`), `"""\""a"""`},
		{"a comma", value.String("a,b"), `"a,b"`},
		{"a space before", value.String(" a"), `" a"`},
		{"a negative double", value.Double(-1.5), "-1.5"},
		{"a whole double", value.Double(2), "2.0"},
		{"no number", value.Double(math.NaN()), `"{ ""$double"": ""NaN"" }"`},
		{"a list", value.Array{value.Int(1), value.Int(2)}, `"[ 1, 2 ]"`},
		{"a list of one", value.Array{value.Int(1)}, `[ 1 ]`},
	}
	for _, tt := range cells {
		got := write(t, func(b *strings.Builder) docfile.File { return docfile.NewCSV(b, root, docfile.Columns{"a": true}) }, value.Map{"a": tt.in})
		if want := "__id__,a\r\nd0," + strings.TrimSuffix(tt.want, " ") + "\r\n"; got != want {
			t.Errorf("%s: the file is %q, want %q", tt.name, got, want)
		}
	}
}

func TestColumns(t *testing.T) {
	columns := docfile.Columns{}
	for _, fields := range []value.Map{{"b": value.Int(1)}, {"=a": value.Int(2)}} {
		if err := columns.Add(fields); err != nil {
			t.Fatal(err)
		}
	}
	csv := func(b *strings.Builder) docfile.File { return docfile.NewCSV(b, root, columns) }
	got := write(t, csv, value.Map{"b": value.Int(1)}, value.Map{"=a": value.Int(2)})
	if want := "__id__,\"\"\"=a\"\"\",b\r\nd0,,1\r\nd1,2,\r\n"; got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
	if got := write(t, csv); got != "__id__,\"\"\"=a\"\"\",b\r\n" {
		t.Errorf("the file without documents is %q", got)
	}
	many := value.Map{}
	for i := range 20_000 {
		many[fmt.Sprint(i)] = value.Null{}
	}
	if err := columns.Add(many); err == nil {
		t.Error("Add accepted 20,000 fields")
	}
}
