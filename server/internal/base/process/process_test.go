package process_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"clave/server/internal/base/process"
)

func TestRunStopsInReverseOrder(t *testing.T) {
	var stopped []string // written by one part at a time, because the parts stop one after another
	waiting := func(name string) process.Part {
		return process.Part{Name: name, Run: func(ctx context.Context) error {
			<-ctx.Done()
			stopped = append(stopped, name)
			return ctx.Err()
		}}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := process.Run(ctx, waiting("storage"), waiting("engine"), waiting("transport")); err != nil {
		t.Errorf("Run = %v, want nil after an ordinary stop", err)
	}
	if want := []string{"transport", "engine", "storage"}; !slices.Equal(stopped, want) {
		t.Errorf("stopped %v, want %v", stopped, want)
	}
}

func TestRunEndsWithTheFirstError(t *testing.T) {
	broken := errors.New("broken")
	stopped := false
	err := process.Run(t.Context(),
		process.Part{Name: "well", Run: func(ctx context.Context) error { <-ctx.Done(); stopped = true; return nil }},
		process.Part{Name: "ill", Run: func(context.Context) error { return broken }},
	)
	if !errors.Is(err, broken) || !stopped {
		t.Errorf("Run = %v (well stopped: %v), want the error of ill and well stopped", err, stopped)
	}
}

// TestMain fails if the tests leak goroutines. In a role it runs as a program that does not stop on a signal.
func TestMain(m *testing.M) {
	if os.Getenv("PLAY_STUBBORN") == "" {
		goleak.VerifyTestMain(m)
		return
	}
	if os.Getenv("PLAY_STUBBORN") == "nohup" {
		signal.Ignore(syscall.SIGHUP)
	}
	ctx, stop := process.Signals(context.Background(), syscall.SIGHUP)
	defer stop()
	fmt.Println("ready")
	if signal.Ignored(syscall.SIGHUP) {
		fmt.Println("hangups are ignored")
	}
	<-ctx.Done()
	fmt.Println("stopping")
	_, _ = io.Copy(io.Discard, os.Stdin) // stays open
}

// limit is how long a program may take to handle a signal. It is many times the usual duration.
const limit = time.Minute

// playStubborn runs this program in a role, at most until the test ends, and returns its output.
func playStubborn(t *testing.T, role string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	// A program inherits an ignored signal, as under nohup, unless its parent handles the signal.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	t.Cleanup(func() { signal.Reset(syscall.SIGHUP) })
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), "PLAY_STUBBORN="+role)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill() // unless it has ended
	})
	return cmd, bufio.NewScanner(out)
}

// expect reads a program's next line.
func expect(t *testing.T, lines *bufio.Scanner, want string) {
	t.Helper()
	if !lines.Scan() || lines.Text() != want {
		t.Fatalf("the program said %q, want %q", lines.Text(), want)
	}
}

func TestTheSecondSignalEndsTheProgram(t *testing.T) {
	cmd, lines := playStubborn(t, "1")
	for _, want := range []string{"ready", "stopping"} {
		expect(t, lines, want)
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGINT {
		t.Errorf("after two signals the program ended with %v, want by the signal", err)
	}
}

// TestHangup sends SIGHUP to a program that stops on it, and to one that ignores it.
func TestHangup(t *testing.T) {
	for role, want := range map[string]string{"1": "stopping", "nohup": "hangups are ignored"} {
		cmd, lines := playStubborn(t, role)
		expect(t, lines, "ready")
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		expect(t, lines, want)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}
