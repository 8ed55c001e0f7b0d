package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"clave/server/internal/app"
	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
)

// This file runs the unmodified Firebase CLI with Clave instead of the official Firestore emulator. The CLI runs `java
// … -jar FILE FLAGS`, where the variable FIRESTORE_EMULATOR_BINARY_PATH names FILE, and runs `java -version` first. So
// `clave firebase` prepends a folder to PATH in which java is this program: under that name it prints the version, runs
// the emulator for FILE, and runs the machine's own Java for everything else.

// binaryPath is the Firebase CLI's variable with the file of the Firestore emulator.
const binaryPath = "FIRESTORE_EMULATOR_BINARY_PATH"

// launcherDir is the variable with the folder in which java is this program.
const launcherDir = "CLAVE_JAVA_DIR"

// javaVersion is what `java -version` prints: the Firebase CLI requires 21 or later.
const javaVersion = `openjdk version "21.0.0" (Clave in the place of Java, for the Firebase CLI)`

// firebaseCommand returns `clave firebase`.
func firebaseCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use: "firebase [--admin-api URL] [--key FILE] -- ARGUMENTS…", Short: "Run the Firebase CLI with Clave in place of Google or of the Firestore emulator", GroupID: groupServers,
		Long: "Runs the Firebase CLI, from ./node_modules or the PATH. Temporary files are removed at the end.\n\n" +
			"With --admin-api or CLAVE_ADMIN_API, the URL at which clave serve --admin-api is reached, the CLI administers that server instead of\n" +
			"the project at Google, with the key of a service account in --key or GOOGLE_APPLICATION_CREDENTIALS. The CLI itself never has the\n" +
			"key or a token. Its project is that of the key.\n\n" +
			"Otherwise Clave is its Firestore emulator, without Java.",
		Example:            "  clave firebase --admin-api https://data.example.org:4001 --key deployer.json -- deploy --only firestore\n  clave firebase -- emulators:exec \"npm test\"",
		DisableFlagParsing: true, // the CLI parses them
		RunE: func(cmd *cobra.Command, args []string) error {
			at, args, err := firebaseFlags(args, os.Getenv)
			switch {
			case err != nil:
				return err
			case len(args) > 0 && (args[0] == "--help" || args[0] == "-h"):
				return cmd.Help()
			case len(args) > 0 && args[0] == "--":
				args = args[1:]
			}
			if len(args) == 0 {
				return usageError("clave firebase: give the arguments of the Firebase CLI; see clave firebase --help")
			}
			if at.url != "" {
				return exit(administer(cmd.Context(), at, args, s))
			}
			return exit(firebase(cmd.Context(), args, s))
		},
	}
}

// firestoreEmulatorCommand returns `clave firestore-emulator`.
func firestoreEmulatorCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use: "firestore-emulator [flags]", Short: "Run Firestore alone, with the official emulator's flags", GroupID: groupServers,
		DisableFlagParsing: true, // their syntax differs from pflag's
		RunE: func(cmd *cobra.Command, args []string) error {
			err := firestoreEmulator(cmd.Context(), args, s)
			if errors.Is(err, pflag.ErrHelp) {
				return nil
			}
			return err
		},
	}
}

// firebase runs the Firebase CLI and returns its exit code.
func firebase(ctx context.Context, args []string, s streams) (int, error) {
	cli, err := findFirebase()
	if err != nil {
		return 1, err
	}
	dir, err := os.MkdirTemp("", "clave-java-")
	if err != nil {
		return 1, fmt.Errorf("folder for the launcher: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	jar, err := makeLauncher(dir)
	if err != nil {
		return 1, err
	}
	// The terminal's Ctrl-C reaches the CLI too, which then stops what it has started.
	cmd := child(ctx, s, cli, args...)
	cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), binaryPath+"="+jar, launcherDir+"="+dir)
	return exitCode(cmd.Run(), cli)
}

// findFirebase returns the program of the Firebase CLI.
func findFirebase() (string, error) {
	name := "firebase"
	if runtime.GOOS == "windows" {
		name += ".cmd"
	}
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("working folder: %w", err)
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		local := filepath.Join(dir, "node_modules", ".bin", name)
		if _, err := os.Stat(local); err == nil {
			return local, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	found, err := exec.LookPath("firebase")
	if err != nil {
		return "", fault.E(fault.FailedPrecondition, "the Firebase CLI is not installed. Install it with npm install --save-dev firebase-tools")
	}
	return found, nil
}

// makeLauncher copies or links this program into a folder as java and returns the path that represents the emulator's
// jar.
func makeLauncher(dir string) (jar string, err error) {
	program, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("path of this program: %w", err)
	}
	if runtime.GOOS == "windows" {
		err = copyFile(program, filepath.Join(dir, "java.exe"))
	} else {
		err = os.Symlink(program, filepath.Join(dir, "java"))
	}
	if err != nil {
		return "", fmt.Errorf("launcher: %w", err)
	}
	jar = filepath.Join(dir, "clave-firestore-emulator.jar")
	const note = "Stands for the Firestore emulator: clave runs in its place.\n"
	if err := os.WriteFile(jar, []byte(note), 0o600); err != nil {
		return "", fmt.Errorf("launcher: %w", err)
	}
	return jar, nil
}

// copyFile copies a program.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return errors.Join(err, out.Close())
	}
	return out.Close()
}

// calledAsJava reports whether the program was started under the name java.
func calledAsJava(program string) bool {
	return strings.TrimSuffix(filepath.Base(program), ".exe") == "java"
}

// java handles a call of Java by the Firebase CLI and returns the exit code.
func java(ctx context.Context, args []string, s streams) (int, error) {
	jar := os.Getenv(binaryPath)
	i := slices.Index(args, "-jar")
	switch {
	case slices.Contains(args, "-version"):
		fmt.Fprintln(s.err, javaVersion)
		return 0, nil
	case i >= 0 && i+1 < len(args) && jar != "" && args[i+1] == jar:
		return 0, firestoreEmulator(ctx, args[i+2:], s)
	}
	real, err := realJava(os.Getenv("PATH"), os.Getenv(launcherDir))
	if err != nil {
		return exitNotFound, err
	}
	return exitCode(child(ctx, s, real, args...).Run(), real)
}

// realJava finds the machine's own Java on a PATH, skipping the launcher's folder.
func realJava(path, launcher string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		if dir == "" || dir == launcher {
			continue
		}
		file := filepath.Join(dir, "java")
		if runtime.GOOS == "windows" {
			file += ".exe"
		}
		info, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) || err == nil && (info.IsDir() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0) {
			continue
		}
		return file, err
	}
	return "", fault.E(fault.FailedPrecondition, "this emulator needs Java, which is not installed. Clave replaces the Firestore emulator only.")
}

// firestoreEmulator runs Firestore alone, with the official emulator's flags.
func firestoreEmulator(ctx context.Context, args []string, s streams) error {
	c, err := config.ParseFirestoreEmulator(args, s.out)
	if err != nil {
		return err
	}
	a, err := app.New(ctx, c, app.Options{Log: logger(c, s.err), Notices: s.out})
	if err != nil {
		return err
	}
	return a.Run(ctx, func() {
		fmt.Fprintf(s.out, "API endpoint: http://%s\nDev App Server is now running.\n", a.Addresses().Firestore)
	})
}
