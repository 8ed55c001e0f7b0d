package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestJavaPrintsItsVersion(t *testing.T) {
	var out, err strings.Builder
	code := runAsJava(t.Context(), []string{"-Duser.language=en", "-Dfile.encoding=UTF-8", "-version"}, streams{&out, &err})
	if code != 0 || !strings.Contains(err.String(), `version "21`) { // firebase-tools refuses Java before 21
		t.Errorf("java -version = %d, %q", code, err.String())
	}
}

func TestJavaPassesOtherJarsOn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("skipped: the stand-in for Java is a shell script")
	}
	launcher, machine := t.TempDir(), t.TempDir()
	script := "#!/bin/sh\necho real \"$@\"\nexit 7\n"
	for dir, text := range map[string]string{launcher: "#!/bin/sh\nexit 99\n", machine: script} {
		if err := os.WriteFile(filepath.Join(dir, "java"), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	jar := filepath.Join(launcher, "stand-in.jar")
	t.Setenv("PATH", launcher+string(os.PathListSeparator)+machine+string(os.PathListSeparator)+"/bin")
	t.Setenv(launcherDir, launcher)
	t.Setenv(binaryPath, jar)
	var out, err strings.Builder
	if code := runAsJava(t.Context(), []string{"-jar", "database.jar", "--port", "1"}, streams{&out, &err}); code != 7 || out.String() != "real -jar database.jar --port 1\n" {
		t.Errorf("another jar: %d, %q, %q, want the machine's Java", code, out.String(), err.String())
	}
	// The emulator's own flags are parsed: an unknown flag is an error of clave.
	if code := runAsJava(t.Context(), []string{"-jar", jar, "--nope"}, streams{&out, &err}); code != 1 || !strings.Contains(err.String(), "-nope") {
		t.Errorf("the emulator's jar: %d, %q", code, err.String())
	}
	t.Setenv("PATH", launcher)
	err.Reset()
	if code := runAsJava(t.Context(), []string{"-jar", "database.jar"}, streams{&out, &err}); code != exitNotFound || !strings.Contains(err.String(), "needs Java") {
		t.Errorf("without Java: %d, %q", code, err.String())
	}
}

func TestCalledAsJava(t *testing.T) {
	for program, want := range map[string]bool{"/tmp/x/java": true, "java": true, "/tmp/x/java.exe": true, "/usr/bin/clave": false, "javac": false} {
		if got := calledAsJava(program); got != want {
			t.Errorf("calledAsJava(%q) = %t", program, got)
		}
	}
}
