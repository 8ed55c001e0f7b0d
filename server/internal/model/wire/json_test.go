package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// commit wraps the JSON of a value in the JSON of a commit.
func commit(v string) string {
	return `{"writes":[{"update":{"name":"n","fields":{"a":` + v + `}}}]}`
}

func TestParseJSONIsLenient(t *testing.T) {
	tests := []struct{ in, want string }{
		{commit(`{"integerValue":"12"}`), commit(`{"integerValue":"12"}`)},
		{commit(`{"integerValue":12}`), commit(`{"integerValue":"12"}`)},
		{commit(`{"integerValue":1.2e1}`), commit(`{"integerValue":"12"}`)},
		{commit(`{"integer_value":"-9223372036854775808"}`), commit(`{"integerValue":"-9223372036854775808"}`)},
		{commit(`{"integerValue":"+05"}`), commit(`{"integerValue":"5"}`)},
		{commit(`{"booleanValue":"Yes"}`), commit(`{"booleanValue":true}`)},
		{commit(`{"booleanValue":"0"}`), commit(`{"booleanValue":false}`)},
		{commit(`{"doubleValue":"+1."}`), commit(`{"doubleValue":1}`)},
		{commit(`{"doubleValue":"1.5"}`), commit(`{"doubleValue":1.5}`)},
		{commit(`{"doubleValue":"NaN"}`), commit(`{"doubleValue":"NaN"}`)},
		{commit(`{"doubleValue":"-Infinity"}`), commit(`{"doubleValue":"-Infinity"}`)},
		{commit(`{"nullValue":null}`), commit(`{"nullValue":null}`)},
		{commit(`{"nullValue":"NULL_VALUE"}`), commit(`{"nullValue":null}`)},
		{commit(`{"booleanValue":"true"}`), commit(`{"booleanValue":true}`)},
		{commit(`{"bytesValue":"_-8"}`), commit(`{"bytesValue":"/+8="}`)},
		{commit(`{"bytesValue":"/+8="}`), commit(`{"bytesValue":"/+8="}`)},
		{commit(`{"timestampValue":"2020-01-02T03:04:05.123456789+01:00"}`), commit(`{"timestampValue":"2020-01-02T02:04:05.123456789Z"}`)},
		{commit(`{"arrayValue":{}}`), commit(`{"arrayValue":{}}`)},
		{commit(`{"stringValue":"\u00e9\ud83d\ude00\n\/"}`), commit(`{"stringValue":"é😀\n/"}`)},
		{`{writes:[],}`, `{}`},
		{`{'database':'d'}`, `{"database":"d"}`},
		{``, `{}`},
		{` {"database":null} `, `{}`},
		{`{"writes":{"delete":"n"}}`, `{"writes":[{"delete":"n"}]}`},
	}
	for _, tt := range tests {
		var m, want pb.CommitRequest
		if err := wire.ParseJSON([]byte(tt.in), &m); err != nil {
			t.Errorf("ParseJSON(%s): %v", tt.in, err)
			continue
		}
		if err := protojson.Unmarshal([]byte(tt.want), &want); err != nil {
			t.Fatal(err)
		}
		got, err := wire.AppendJSON(nil, &m)
		wanted, err2 := wire.AppendJSON(nil, &want)
		if err != nil || err2 != nil || string(got) != string(wanted) {
			t.Errorf("ParseJSON(%s) = %s, want %s", tt.in, got, wanted)
		}
	}
}

func TestParseJSONRefuses(t *testing.T) {
	const at = "'writes[0].update.fields[0].value"
	tests := []struct{ in, want string }{
		{`{not json`, "Invalid JSON payload received. Expected : between key:value pair.\n{not json\n     ^"},
		{`{"a":1 "b":2}`, "Invalid JSON payload received. Expected , or } after key:value pair.\n{\"a\":1 \"b\":2}\n       ^"},
		{`{"a":[1 2]}`, "Invalid JSON payload received. Expected , or ] after array value.\n{\"a\":[1 2]}\n        ^"},
		{`{"a":`, "Invalid JSON payload received. Expected a value.\n{\"a\":\n     ^"},
		{`{"a":"b`, "Invalid JSON payload received. Closing quote expected in string.\n{\"a\":\"b\n       ^"},
		{`{"a":nope}`, "Invalid JSON payload received. Unexpected token.\n{\"a\":nope}\n     ^"},
		{`{"a":01}`, "Invalid JSON payload received. Unable to parse number.\n{\"a\":01}\n     ^"},
		{`{} {}`, "Invalid JSON payload received. Parsing terminated before end of input.\n{} {}\n   ^"},
		{`[]`, `Invalid JSON payload received. Unknown name "": Root element must be a message.`},
		{`{"transaction":"AA==","nope":1}`, `Invalid JSON payload received. Unknown name "nope": Cannot find field.`},
		{commit(`{"fooValue":1}`), `Invalid JSON payload received. Unknown name "fooValue" at ` + at + `': Cannot find field.`},
		{commit(`{"integerValue":"99999999999999999999"}`), `Invalid value at ` + at + `.integer_value' (TYPE_INT64), "99999999999999999999"`},
		{commit(`{"integerValue":1.5}`), `Invalid value at ` + at + `.integer_value' (TYPE_INT64), 1.5`},
		{commit(`{"integerValue":"1.0"}`), `Invalid value at ` + at + `.integer_value' (TYPE_INT64), "1.0"`},
		{commit(`{"integerValue":" 1"}`), `Invalid value at ` + at + `.integer_value' (TYPE_INT64), " 1"`},
		{commit(`{"doubleValue":"inf"}`), `Invalid value at ` + at + `.double_value' (TYPE_DOUBLE), "inf"`},
		{commit(`{"doubleValue":"nan"}`), `Invalid value at ` + at + `.double_value' (TYPE_DOUBLE), "nan"`},
		{commit(`{"doubleValue":"1e400"}`), `Invalid value at ` + at + `.double_value' (TYPE_DOUBLE), "1e400"`},
		{commit(`{"booleanValue":"on"}`), `Invalid value at ` + at + `.boolean_value' (TYPE_BOOL), "on"`},
		{commit(`{"booleanValue":1}`), `Invalid value at ` + at + `.boolean_value' (TYPE_BOOL), 1`},
		{commit(`{"stringValue":5}`), `Invalid value at ` + at + `.string_value' (TYPE_STRING), 5`},
		{commit(`{"bytesValue":"!!!"}`), `Invalid value at ` + at + `.bytes_value' (TYPE_BYTES), Base64 decoding failed for "!!!"`},
		{commit(`{"timestampValue":"2020-01-01"}`), `Invalid value at ` + at + `.timestamp_value' (type.googleapis.com/google.protobuf.Timestamp), Field 'timestampValue', Illegal timestamp format; timestamps must end with 'Z' or have a valid timezone offset.`},
		{commit(`"x"`), `Invalid value at ` + at + `' (type.googleapis.com/google.firestore.v1.Value), "x"`},
		{commit(`{"integerValue":1,"stringValue":"x"}`), `Invalid value at ` + at + `' (oneof), oneof field 'value_type' is already set. Cannot set 'stringValue'`},
		{`{"database":["a"]}`, `Invalid JSON payload received. Unknown name "database": Proto field is not repeating, cannot start list.`},
		{`{"x":1,"y":2}`, "Invalid JSON payload received. Unknown name \"x\": Cannot find field.\nInvalid JSON payload received. Unknown name \"y\": Cannot find field."},
	}
	for _, tt := range tests {
		err := wire.ParseJSON([]byte(tt.in), &pb.CommitRequest{})
		if !fault.Is(err, fault.InvalidArgument) || fault.FromError(err).Message != tt.want {
			t.Errorf("ParseJSON(%s) = %v, want %q", tt.in, err, tt.want)
		}
	}
	deep := strings.Repeat(`[`, 100_000)
	if err := wire.ParseJSON([]byte(`{"a":`+deep), &pb.CommitRequest{}); !fault.Is(err, fault.InvalidArgument) {
		t.Errorf("100,000 brackets: %v, want InvalidArgument", err)
	}
}

func TestSetParam(t *testing.T) {
	var m pb.ListDocumentsRequest
	for name, values := range map[string][]string{
		"mask.fieldPaths": {"a", "b.c"}, "pageSize": {"7"}, "showMissing": {"true"}, "readTime": {"2020-01-01T00:00:00Z"}, "order_by": {"a desc"},
	} {
		if err := wire.SetParam(&m, name, values); err != nil {
			t.Errorf("SetParam(%s): %v", name, err)
		}
	}
	if len(m.GetMask().GetFieldPaths()) != 2 || m.GetPageSize() != 7 || !m.GetShowMissing() || m.GetReadTime().GetSeconds() != 1577836800 || m.GetOrderBy() != "a desc" {
		t.Errorf("params made %v", &m)
	}
	for name, want := range map[string]string{
		"foo":         `Invalid JSON payload received. Unknown name "foo": Cannot bind query parameter. Field 'foo' could not be found in request message.`,
		"mask.foo":    `Invalid JSON payload received. Unknown name "mask.foo": Cannot bind query parameter. Field 'foo' could not be found in request message.`,
		"pageSize":    `Invalid value at 'page_size' (TYPE_INT32), "x"`,
		"transaction": `Invalid value (oneof), oneof field 'consistency_selector' is already set. Cannot set 'transaction'`,
	} {
		err := wire.SetParam(&m, name, []string{"x"})
		if !fault.Is(err, fault.InvalidArgument) || fault.FromError(err).Message != want {
			t.Errorf("SetParam(%s, x) = %v, want %q", name, err, want)
		}
	}
}

// FuzzParseJSON checks that invalid bodies are refused without a panic, and that an accepted body is unchanged after it
// was written and read again.
func FuzzParseJSON(f *testing.F) {
	f.Add(commit(`{"mapValue":{"fields":{"b":{"timestampValue":"2020-01-01T00:00:00Z"}}}}`))
	f.Add(`{writes:[{'delete':"\ud83d\ude00",}],}`)
	f.Fuzz(func(t *testing.T, in string) {
		var m, again pb.CommitRequest
		if err := wire.ParseJSON([]byte(in), &m); err != nil {
			if !fault.Is(err, fault.InvalidArgument) {
				t.Errorf("ParseJSON(%q) = %v, want InvalidArgument", in, err)
			}
			return
		}
		out, err := wire.AppendJSON(nil, &m)
		if err != nil {
			return // An enum or a time out of range has no JSON form.
		}
		if !json.Valid(out) {
			t.Errorf("AppendJSON of %q is no JSON: %s", in, out)
		}
		if err := wire.ParseJSON(out, &again); err != nil || !proto.Equal(&m, &again) {
			t.Errorf("ParseJSON(%q) = %v, written and read again %v, %v", in, &m, &again, err)
		}
	})
}
