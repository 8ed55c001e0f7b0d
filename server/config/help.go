package config

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// summaries say what each mode is for and how it is called.
var summaries = map[Mode]string{
	ModeStart: "clave start [flags]\n\nRuns on the ports of firebase.json in place of the Firebase Emulator Suite, for development and tests.",
	ModeExec: "clave exec [flags] -- COMMAND…\nclave exec [flags] \"LINE\"\n\nStarts in memory, runs a command, or a line for the shell, with the emulators' variables, stops, and passes on its exit code:\n" +
		"GCLOUD_PROJECT, GOOGLE_CLOUD_PROJECT, FIREBASE_CONFIG, FIRESTORE_EMULATOR_HOST, FIREBASE_AUTH_EMULATOR_HOST, FIREBASE_EMULATOR_HUB.\n" +
		"Flags may also stand behind a line.",
	ModeServe: "clave serve --project ID --public-url URL [flags]\n\nRuns for production: one port, signed tokens, rules required, nothing of the emulators' conveniences.",
	ModeBackup: "clave backup FOLDER [flags]\n\nCopies the data folder to FOLDER, which must not exist, as it is at one moment; a running server goes on. The copy is a\n" +
		"data folder itself, with the keys that sign tokens: keep it secret, and on another disk.",
	ModeExport: "clave export FOLDER [flags]\n\nWrites the project's documents and accounts to FOLDER in the format of the Emulator Suite; its part for Firestore is that of\n" +
		"Firestore's managed exports. A running server goes on. FOLDER must be absent, empty or an earlier export, which is replaced.",
	ModeImport: "clave import [FOLDER] [--users FILE --hash-config FILE] [flags]\n\nReads the project's documents and accounts from FOLDER: one of the Emulator Suite, or a managed export of Firestore, fetched\n" +
		"from its bucket. Documents and accounts with the same names are replaced, others stay. The server must be stopped.",
	ModeRestore: "clave restore FOLDER [flags]\n\nMakes the data folder, which must be empty or absent, from what clave backup wrote to FOLDER. The server must be stopped.",
}

// printHelp prints what a mode is for and its flags.
func printHelp(w io.Writer, mode Mode, flags *flag.FlagSet) {
	if text, ok := summaries[mode]; ok {
		fmt.Fprintf(w, "%s\n\nFlags:\n", text)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	flags.VisitAll(func(f *flag.Flag) {
		if f.Usage == "" {
			return // of the Firebase CLI, and ignored
		}
		def := ""
		if f.DefValue != "" && f.DefValue != "false" && !strings.Contains(f.Usage, "(default") {
			def = " (default: " + f.DefValue + ")"
		}
		fmt.Fprintf(table, "  --%s\t%s%s\n", f.Name, f.Usage, def)
	})
	_ = table.Flush()
}
