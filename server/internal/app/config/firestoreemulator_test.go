package config_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
)

func TestParseFirestoreEmulator(t *testing.T) {
	// The arguments of firebase-tools 15.
	c, err := config.ParseFirestoreEmulator(strings.Fields("--host 127.0.0.1 --port 8081 --websocket_port 9151 --database-edition standard --project_id demo-x "+
		"--rules /p/firestore.rules --single_project_mode true --single_project_mode_error false --functions_emulator 127.0.0.1:5001 "+
		"--seed_from_export /p/seed/firestore_export/firestore_export.overall_export_metadata"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if c.Host != "127.0.0.1" || c.Ports.Firestore != 8081 || c.Ports.Websocket != 9151 || c.Project != "demo-x" || c.Functions != "127.0.0.1:5001" ||
		c.ImportDir != "/p/seed/firestore_export" || !c.Memory || !c.NoHub || c.Production() {
		t.Errorf("parsed %+v", c)
	}
	if len(c.Databases) != 1 || c.Databases[0].RulesFile != "/p/firestore.rules" {
		t.Errorf("databases %+v, want the rules of the default one", c.Databases)
	}
	if !c.Runs("firestore") || c.Runs("auth") || c.Runs("hosting") {
		t.Errorf("runs %v, want Firestore alone", c.Only)
	}
	if c, err := config.ParseFirestoreEmulator([]string{"--port=1", "--single_project_mode"}, io.Discard); err != nil || c.Ports.Firestore != 1 {
		t.Errorf("joined flags: %v, %v", c, err)
	}
	if c, err := config.ParseFirestoreEmulator([]string{"--database-edition=ENTERPRISE"}, io.Discard); err != nil || !c.IsEnterprise("any") {
		t.Errorf("an edition: %v, %v; want enterprise", c, err)
	}
	for args, want := range map[string]fault.Code{
		"--database-edition datastore": fault.InvalidArgument,
		"--nope":                       fault.InvalidArgument,
		"start":                        fault.InvalidArgument,
		"--port x":                     fault.InvalidArgument,
	} {
		if _, err := config.ParseFirestoreEmulator(strings.Fields(args), io.Discard); fault.CodeOf(err) != want {
			t.Errorf("%s: %v, want %v", args, err, want)
		}
	}
	var help strings.Builder
	if _, err := config.ParseFirestoreEmulator([]string{"--help"}, &help); !errors.Is(err, pflag.ErrHelp) || !strings.Contains(help.String(), "functions_emulator") {
		t.Errorf("help: %v, %q", err, help.String())
	}
}
