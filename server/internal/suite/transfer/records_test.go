package transfer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/record"

	"clave/server/internal/base/fault"
)

// chunk returns a chunk of a log with the right checksum.
func chunk(kind byte, content string) string {
	body := append([]byte{kind}, content...)
	header := binary.LittleEndian.AppendUint32(nil, checksum(body))
	header = binary.LittleEndian.AppendUint16(header, uint16(len(content)))
	return string(header) + string(body)
}

// recordsOf returns the records of a log.
func recordsOf(log string) (all []string, err error) {
	err = readRecords(strings.NewReader(log), func(one []byte) error {
		all = append(all, string(one))
		return nil
	})
	return all, err
}

// zeros returns n zeros.
func zeros(n int) string { return strings.Repeat("\x00", n) }

// TestLogs reads logs of other writers. The official emulator 1.22.0 decides alike, except on a cut record, which
// LevelDB accepts and the emulator refuses.
func TestLogs(t *testing.T) {
	a, b := chunk(chunkFull, "aaa"), chunk(chunkFull, "bbb")
	rest := func(s string) string { return zeros(blockSize - len(s)%blockSize) }
	// half fills the first block but for seven bytes, for an empty chunk.
	half := chunk(chunkFirst, strings.Repeat("x", blockSize-2*headerSize-headerSize-1)) + chunk(chunkLast, "y")
	long := strings.Repeat("x", blockSize-3*headerSize-1) + "y"
	for _, c := range []struct {
		name, log string
		want      []string
		problem   string // part of the error
	}{
		{"nothing", "", nil, ""},
		{"whole", a + b, []string{"aaa", "bbb"}, ""},
		{"zeros up to the block's end", a + b + rest(a+b), []string{"aaa", "bbb"}, ""},
		{"a block of zeros more", a + b + rest(a+b) + zeros(blockSize), []string{"aaa", "bbb"}, ""},
		{"zeros for less than a header", a + zeros(headerSize-1), []string{"aaa"}, ""},
		{"zeros for a header", a + zeros(headerSize), []string{"aaa"}, ""},
		{"zeros for part of a block", a + zeros(100), []string{"aaa"}, ""},
		{"only zeros", zeros(blockSize), nil, ""},
		{"a block with space at its end", a + rest(a) + b, []string{"aaa", "bbb"}, ""},
		{"chunks in one block", chunk(chunkFirst, "a") + chunk(chunkMiddle, "") + chunk(chunkMiddle, "bc") + chunk(chunkLast, "d") + b, []string{"abcd", "bbb"}, ""},
		{"chunks in three blocks", chunk(chunkFirst, strings.Repeat("p", blockSize-headerSize)) + chunk(chunkMiddle, strings.Repeat("q", blockSize-headerSize)) + chunk(chunkLast, "r"),
			[]string{strings.Repeat("p", blockSize-headerSize) + strings.Repeat("q", blockSize-headerSize) + "r"}, ""},
		{"an empty first chunk at a block's end", half + chunk(chunkFirst, "") + b, []string{long, "bbb"}, ""},
		{"an empty first chunk and another", half + chunk(chunkFirst, "") + chunk(chunkFirst, "b") + chunk(chunkLast, "c"), []string{long, "bc"}, ""},
		{"an empty record", a + chunk(chunkFull, "") + b, []string{"aaa", "", "bbb"}, ""},
		{"a cut header", a + b[:5], []string{"aaa"}, "incomplete"},
		{"a cut record", a + b[:len(b)-1], []string{"aaa"}, "incomplete"},
		{"a first chunk alone", a + chunk(chunkFirst, "b"), []string{"aaa"}, "incomplete"},
		{"a first chunk and zeros", a + chunk(chunkFirst, "b") + zeros(100), []string{"aaa"}, "incomplete"},
		{"a record after zeros", a + zeros(20) + b, []string{"aaa"}, "after the end of a block's records"},
		{"a wrong checksum", "x" + a[1:] + b, nil, "checksum"},
		{"no checksum", zeros(4) + a[4:] + b, nil, "checksum"},
		{"an unknown kind", a + chunk(5, "xyz") + b, []string{"aaa"}, "unknown kind 5"},
		{"kind 0 with content", a + chunk(0, "xyz") + b, []string{"aaa"}, "unknown kind 0"},
		{"a middle chunk alone", a + chunk(chunkMiddle, "x") + b, []string{"aaa"}, "begin of a record is missing"},
		{"a last chunk alone", a + chunk(chunkLast, "x") + b, []string{"aaa"}, "begin of a record is missing"},
		{"a first chunk before a full one", a + chunk(chunkFirst, "x") + b, []string{"aaa"}, "end of a record is missing"},
		{"two first chunks", a + chunk(chunkFirst, "x") + chunk(chunkFirst, "y") + chunk(chunkLast, "z"), []string{"aaa"}, "end of a record is missing"},
		{"longer than its block", a + zeros(4) + "\xff\xff\x01" + rest(a+zeros(headerSize)) + b, []string{"aaa"}, "longer than its block"},
		{"a text", strings.Repeat("not a log ", 5000), nil, "damaged or not an export"},
	} {
		got, err := recordsOf(c.log)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %.200q, want %.200q", c.name, got, c.want)
		}
		cut := strings.Contains(c.problem, "incomplete")
		if c.problem == "" && err != nil || c.problem != "" && (!fault.Is(err, fault.DataLoss) || !strings.Contains(err.Error(), c.problem)) || errors.Is(err, errCut) != cut {
			t.Errorf("%s: %v, want %q", c.name, err, c.problem)
		}
	}
}

// endless is a reader of zeros.
type endless struct{ n int }

// Read implements io.Reader.
func (r *endless) Read(b []byte) (int, error) {
	clear(b)
	r.n += len(b)
	return len(b), nil
}

// TestALogOfZerosEnds reads zeros without an end, as a file of a few bytes on disk may have them.
func TestALogOfZerosEnds(t *testing.T) {
	r := &endless{}
	if err := readRecords(r, func([]byte) error { return nil }); !fault.Is(err, fault.DataLoss) || r.n > 100<<20 {
		t.Errorf("after %d bytes: %v, want DATA_LOSS after at most 100 MiB", r.n, err)
	}
}

// TestLogsOfTheWriter reads logs that the writer of exports has written, of records of all sizes, whole and with zeros
// at the end, and each with a changed bit, which must be found.
func TestLogsOfTheWriter(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 40 {
		var out bytes.Buffer
		log := record.NewWriter(&out)
		var want []string
		for range 1 + random.IntN(6) {
			one := make([]byte, 1+random.IntN(1<<random.IntN(17)))
			for i := range one {
				one[i] = byte(random.Uint32())
			}
			if _, err := log.WriteRecord(one); err != nil {
				t.Fatal(err)
			}
			want = append(want, string(one))
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		whole := out.Len()
		text := append(out.Bytes(), make([]byte, random.IntN(2)*(blockSize-whole%blockSize))...)
		if got, err := recordsOf(string(text)); err != nil || !slices.Equal(got, want) {
			t.Fatalf("round %d: %d records, %v; want %d", round, len(got), err, len(want))
		}
		for range 50 {
			at, bit := random.IntN(len(text)), byte(1)<<random.IntN(8)
			if unusedTrailer(at, whole) {
				continue
			}
			text[at] ^= bit
			if got, err := recordsOf(string(text)); err == nil {
				t.Errorf("round %d: with bit %d of byte %d of %d changed it has %d records", round, bit, at, whole, len(got))
			}
			text[at] ^= bit
		}
	}
}

// unusedTrailer reports whether a byte of a log may be one of the fewer bytes than a header at the end of a block.
func unusedTrailer(at, whole int) bool { return at < whole && at%blockSize > blockSize-headerSize }
