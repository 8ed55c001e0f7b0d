package config

import (
	"os"

	"github.com/spf13/pflag"

	"clave/server/internal/base/fault"
)

// exportFlag is the flag with an optional value.
const exportFlag = "export-on-exit"

// sameFolder is the value of --export-on-exit without one: the folder of --import.
const sameFolder = "true"

// exportTo is the pflag.Value of --export-on-exit.
type exportTo struct{ dir *string }

// String implements pflag.Value.
func (exportTo) String() string { return "" }

// Set implements pflag.Value.
func (e exportTo) Set(s string) error {
	*e.dir = s
	return nil
}

// Type implements pflag.Value.
func (exportTo) Type() string { return "FOLDER" }

// declareTransfer declares the flags of imports and exports.
func (c *Config) declareTransfer(flags *pflag.FlagSet) {
	flags.StringVar(&c.ImportDir, "import", "", "`FOLDER` of an export by Clave, the Emulator Suite or Firestore to start with; keeps data in memory unless --data is given")
	flags.Var(exportTo{&c.ExportDir}, exportFlag, "`FOLDER` for an export at the end (default: that of --import)")
	flags.Lookup(exportFlag).NoOptDefVal = sameFolder
	flags.StringArrayVar(&c.Seeds, "seed", nil, "`FILE` of a seed (JSON, YAML, JavaScript or TypeScript) that is applied at the start; repeatable")
}

// importsToMemory keeps the data in memory if they are imported and no flag names a data folder. The export is then the
// persistent copy.
func (c *Config) importsToMemory(flags *pflag.FlagSet) {
	if c.ImportDir != "" && !flags.Changed("data") && !flags.Changed("memory") {
		c.Memory = true
	}
}

// checkTransfer checks the folders of exports.
func (c *Config) checkTransfer() error {
	if c.ExportDir == sameFolder {
		c.ExportDir = c.ImportDir
		if c.ExportDir == "" {
			return fault.E(fault.InvalidArgument, "--%s: name a folder, here or with --import", exportFlag)
		}
	}
	if c.ImportDir == "" || c.ImportDir == c.ExportDir {
		return nil // at the first run there is no export to import yet
	}
	if info, err := os.Stat(c.ImportDir); err != nil || !info.IsDir() {
		return fault.E(fault.InvalidArgument, "--import %s: there is no such folder", c.ImportDir)
	}
	return nil
}
