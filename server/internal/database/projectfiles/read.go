package projectfiles

import (
	"unicode/utf8"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/regularfile"
	"clave/server/internal/store/release"
)

// MaxText is the maximum size in bytes of a file of rules or indexes.
const MaxText = 16 << 20

// The remedies for files that firebase.json names and that can't be read.
const (
	remedyRules   = "Correct firestore.rules in firebase.json."
	remedyIndexes = "Correct firestore.indexes in firebase.json."
)

// read reads a file. remedy names the origin of its name for errors.
func read(path, remedy string) (*release.File, error) {
	text, err := regularfile.ReadText(path, MaxText)
	if err != nil {
		return nil, fault.Wrap(err, fault.FailedPrecondition, "%s: cannot be read: %v. %s", path, err, remedy)
	}
	return &release.File{Name: path, Text: string(text)}, nil
}

// ReadText reads a file that other nodes receive. Bytes that are not UTF-8 would arrive there as others, so it returns
// InvalidArgument for them, with the line of the first. remedy names the origin of the file's name for errors.
func ReadText(path, remedy string) (*release.File, error) {
	f, err := read(path, remedy)
	if err != nil || utf8.ValidString(f.Text) {
		return f, err
	}
	line := 1
	for text := f.Text; ; {
		r, n := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && n == 1 {
			return nil, fault.E(fault.InvalidArgument, "%s:%d: the file is not in UTF-8. Save it in UTF-8.", path, line)
		}
		if r == '\n' {
			line++
		}
		text = text[n:]
	}
}

// Own reads the files for a release, those of rules if withRules is set. It omits an unreadable file if the release r
// has it already.
func (p *Project) Own(r *release.Release, withRules bool) (release.Files, error) {
	files := make(release.Files)
	for _, d := range p.Databases {
		there, own := r.Files[d.ID], release.Database{}
		var err error
		if d.RulesFile != "" && withRules {
			own.Rules, err = ReadText(d.RulesFile, remedyRules)
			if err != nil && there.Rules == nil {
				return nil, err
			}
		}
		if d.IndexesFile != "" {
			own.Indexes, err = ReadText(d.IndexesFile, remedyIndexes)
			if err != nil && there.Indexes == nil && !p.toleratesIndexes(d.IndexesFile, err) {
				return nil, err
			}
		}
		files[d.ID] = own
	}
	return files, nil
}
