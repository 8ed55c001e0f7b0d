package wire

import (
	"strings"
	"testing"

	"clave/server/fault"
	pb "clave/server/wire/firestorepb"
)

// TestBodiesHaveALimitOfValues parses bodies with as many values as they may have and one more. The estimate of the memory counts every value.
func TestBodiesHaveALimitOfValues(t *testing.T) {
	const others = 3 // the body, the array's value and the array
	for _, tt := range []struct {
		elements int
		want     bool
	}{{maxJSONValues - others - 1, true}, {maxJSONValues, false}} {
		body := []byte(`{"arrayValue":{"values":[` + strings.Repeat("{},", tt.elements) + `]}}`)
		v := &pb.Value{}
		err := ParseJSON(body, v)
		if tt.want && (err != nil || len(v.GetArrayValue().GetValues()) != tt.elements) {
			t.Errorf("%d elements: %v and %d values", tt.elements, err, len(v.GetArrayValue().GetValues()))
		}
		if !tt.want && !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("%d elements: %v, want INVALID_ARGUMENT", tt.elements, err)
		}
		if got, least := JSONMemory(body), int64(min(tt.elements, maxJSONValues))*memoryPerValue; got < least {
			t.Errorf("%d elements: the estimate is %d bytes, want %d or more", tt.elements, got, least)
		}
	}
}
