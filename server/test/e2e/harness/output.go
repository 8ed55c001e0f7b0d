package harness

import (
	"bufio"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// Printed is a running program and the lines of its standard output and standard error.
type Printed struct {
	t     *testing.T
	Cmd   *exec.Cmd
	Lines *bufio.Scanner
}

// Printing runs a server, which ends with the test, and returns it with the lines that it prints until it is ready.
func Printing(t *testing.T, cmd *exec.Cmd) (p *Printed, until string) {
	t.Helper()
	p = PrintedBy(t, cmd)
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return p, p.Until("Clave ready")
}

// PrintedBy starts a program. It does not end the program.
func PrintedBy(t *testing.T, cmd *exec.Cmd) *Printed {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &Printed{t: t, Cmd: cmd, Lines: bufio.NewScanner(out)}
}

// Until reads lines until one contains a text. It returns all lines and that line.
func (p *Printed) Until(text string) string {
	p.t.Helper()
	stop := Limited(p.Cmd)
	defer stop()
	var all strings.Builder
	for p.Lines.Scan() {
		all.WriteString(p.Lines.Text() + "\n")
		if strings.Contains(p.Lines.Text(), text) {
			return all.String()
		}
	}
	p.t.Fatalf("the program printed %s and not %q", &all, text)
	return ""
}

// Next returns the program's next line.
func (p *Printed) Next() string {
	p.t.Helper()
	stop := Limited(p.Cmd)
	defer stop()
	if !p.Lines.Scan() {
		p.t.Fatal("the program prints no further line")
	}
	return p.Lines.Text()
}

// End ends the program.
func (p *Printed) End() {
	p.t.Helper()
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	for p.Lines.Scan() {
	}
	_ = WaitForExit(p.t, p.Cmd)
}
