package config

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
)

func TestImportAndExportFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	here := t.TempDir()
	absent := filepath.Join(here, "absent")
	for _, tt := range []struct {
		name             string
		args             []string
		importDir, toDir string
		memory           bool
		command          string
		refusal          string
	}{
		{"import keeps nothing", []string{"--import", here}, here, "", true, "", ""},
		{"import into a folder", []string{"--import", here, "--data", "d"}, here, "", false, "", ""},
		{"export alone", []string{"--export-on-exit", "out"}, "", "out", false, "", ""},
		{"export with =", []string{"--export-on-exit=out", "--verbose"}, "", "out", false, "", ""},
		{"both to one", []string{"--import=" + here, "--export-on-exit"}, here, here, true, "", ""},
		{"both to one, a flag behind", []string{"--export-on-exit", "--import", here}, here, here, true, "", ""},
		{"to one that is not there yet", []string{"--import", absent, "--export-on-exit"}, absent, absent, true, "", ""},
		{"before a command", []string{"--export-on-exit", "out", "--", "--export-on-exit", "x"}, "", "out", true, "--export-on-exit x", ""},
		{"import of nothing", []string{"--import", absent}, "", "", false, "", "no such folder"},
		{"import of nothing, export elsewhere", []string{"--import", absent, "--export-on-exit", "out"}, "", "", false, "", "no such folder"},
		{"export nowhere", []string{"--export-on-exit"}, "", "", false, "", "name a folder"},
	} {
		mode := ModeStart
		if tt.command != "" {
			mode = ModeExec
		}
		c, err := Parse(mode, tt.args, func(string) string { return "" }, io.Discard)
		if tt.refusal != "" {
			if err == nil || !strings.Contains(err.Error(), tt.refusal) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.refusal)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if c.ImportDir != tt.importDir || c.ExportDir != tt.toDir || c.Memory != tt.memory || strings.Join(c.Command, " ") != tt.command {
			t.Errorf("%s: import %q, export %q, memory %v, command %q", tt.name, c.ImportDir, c.ExportDir, c.Memory, c.Command)
		}
	}
}

func TestServeHasNoImport(t *testing.T) {
	for _, flag := range []string{"--import", "--export-on-exit"} {
		if _, err := Parse(ModeServe, []string{flag, "x"}, func(string) string { return "" }, io.Discard); err == nil || !strings.Contains(err.Error(), "unknown flag") {
			t.Errorf("clave serve %s: %v, want no such flag", flag, err)
		}
	}
}
