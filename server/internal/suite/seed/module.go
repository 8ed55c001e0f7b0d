package seed

import (
	"bytes"
	"context"
	_ "embed" // for the program of Node
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"clave/server/internal/base/fault"
)

// loadModule is the program with which Node evaluates a module. It follows values, which is CommonJS.
//
//go:embed load.mjs
var loadModule string

//go:embed values.cjs
var values string

// moduleTimeout is the time limit for the evaluation of a module.
const moduleTimeout = time.Minute

// IsModule reports whether a file is a module of JavaScript or TypeScript.
func IsModule(name string) bool {
	return slices.Contains([]string{".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"}, strings.ToLower(filepath.Ext(name)))
}

// Evaluate evaluates a module by the node of the PATH, as its user: in this process's folder, with its environment. The
// module may do what any program may do, so only its user may name it. Its messages are written to log.
func Evaluate(ctx context.Context, name string, log io.Writer) (Source, error) {
	ctx, cancel := context.WithTimeout(ctx, moduleTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "--input-type=module", "--eval", "const exports = {};"+values+loadModule, "--", name)
	out := &bounded{most: maxFile}
	said := &bounded{most: 16 << 10}
	cmd.Stdout, cmd.Stderr = out, io.MultiWriter(said, log)
	cmd.WaitDelay = time.Second // for children that hold the streams open
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return Source{}, fault.E(fault.FailedPrecondition, "%s is a module, for which node must be on the PATH", name)
	case out.full:
		return Source{}, fault.E(fault.InvalidArgument, "%s: the value is larger than 16 MiB", name)
	case ctx.Err() != nil:
		return Source{}, fault.E(fault.DeadlineExceeded, "%s was not evaluated within %s", name, moduleTimeout)
	case err != nil:
		return Source{}, fault.Wrap(err, fault.InvalidArgument, "%s cannot be evaluated: %s", name, reasonOf(said.String(), err))
	}
	return Source{Name: name, Text: out.Bytes(), Value: true}, nil
}

// reasonOf returns the line of Node's message that names the error.
func reasonOf(said string, err error) string {
	for line := range strings.SplitSeq(said, "\n") {
		if name, _, ok := strings.Cut(line, ":"); ok && strings.Contains(name, "Error") && !strings.HasPrefix(line, " ") {
			hint := ""
			if strings.Contains(line, "ERR_UNKNOWN_FILE_EXTENSION") {
				hint = "; TypeScript needs Node 22.18 or later, or one of the packages typescript (before 7), esbuild and amaro beside the seed"
			}
			return line + hint
		}
	}
	return fmt.Sprint(err)
}

// bounded is a buffer that refuses more than most bytes.
type bounded struct {
	bytes.Buffer
	most int
	full bool
}

// Write implements io.Writer. It never returns an error, so that what writes ends by itself.
func (b *bounded) Write(p []byte) (int, error) {
	if b.full = b.full || b.Len()+len(p) > b.most; !b.full {
		_, _ = b.Buffer.Write(p) // a buffer returns no error
	}
	return len(p), nil
}

// Read reads sources from files, and evaluates those that are modules.
func Read(ctx context.Context, names []string, log io.Writer) (out []Source, err error) {
	for _, name := range names {
		var one Source
		if IsModule(name) {
			one, err = Evaluate(ctx, name, log)
		} else {
			one, err = ReadFile(name)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// ReadValue reads the JSON of a value that a program wrote, whose lines mean nothing to its user. name is its name in
// messages.
func ReadValue(name string, in io.Reader) ([]Source, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return nil, fault.Wrap(err, fault.Canceled, "%s was not read to its end: %v", name, err)
	}
	return []Source{{Name: name, Text: text, Value: true}}, nil
}
