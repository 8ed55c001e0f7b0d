package regularfile_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"clave/server/internal/base/regularfile"
)

// TestRead reads what a name in a folder may be.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	must(os.WriteFile(at("text"), []byte("\xef\xbb\xbfhé"), 0o600))
	must(os.WriteFile(at("empty"), nil, 0o600))
	must(os.WriteFile(at("large"), make([]byte, 17), 0o600))
	must(os.WriteFile(at("endless"), nil, 0o600))
	must(os.Truncate(at("endless"), 1<<40))
	must(os.Mkdir(at("folder"), 0o700))
	must(syscall.Mkfifo(at("pipe"), 0o600))
	must(os.Symlink("text", at("link")))
	must(os.Symlink("/dev/zero", at("zero")))
	must(os.Symlink("pipe", at("link to the pipe")))
	must(os.Symlink("loop", at("loop")))
	socket, err := net.Listen("unix", at("socket"))
	must(err)
	defer func() { must(socket.Close()) }()
	for _, c := range []struct {
		name, want string
		err        error
	}{
		{"text", "\xef\xbb\xbfhé", nil}, {"link", "\xef\xbb\xbfhé", nil}, {"empty", "", nil},
		{"large", "", regularfile.ErrTooLarge}, {"endless", "", regularfile.ErrTooLarge},
		{"folder", "", regularfile.ErrIrregular}, {"pipe", "", regularfile.ErrIrregular}, {"link to the pipe", "", regularfile.ErrIrregular},
		{"zero", "", regularfile.ErrIrregular}, {"socket", "", regularfile.ErrIrregular}, {"loop", "", syscall.ELOOP},
		{"absent", "", fs.ErrNotExist}, {"../../.." + filepath.Base(dir) + "/text", "", fs.ErrInvalid},
	} {
		got, err := regularfile.Folder(dir).Read(c.name, 16)
		if string(got) != c.want || !errors.Is(err, c.err) {
			t.Errorf("Read(%s) = %q, %v; want %q, %v", c.name, got, err, c.want, c.err)
		}
		if err != nil && !strings.Contains(err.Error(), c.name) {
			t.Errorf("Read(%s): the error is %v, want the name in it", c.name, err)
		}
		text, err := regularfile.Folder(dir).ReadText(c.name, 16)
		if string(text) != strings.TrimPrefix(c.want, "\ufeff") || !errors.Is(err, c.err) {
			t.Errorf("ReadText(%s) = %q, %v; want it without the mark", c.name, text, err)
		}
	}
}
