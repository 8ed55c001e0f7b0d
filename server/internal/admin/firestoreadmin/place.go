package firestoreadmin

import (
	"path/filepath"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/pattern"
)

// placeScheme begins the places of exports, as at Google.
const placeScheme = "gs://"

// Limits of a place: its bytes, and the segments of its path.
const (
	maxPlace    = 1024
	maxSegments = 8
)

// placeSegment is the form of the segments of a place. None is a hidden name, or leads out of a folder.
var placeSegment = pattern.New(`^[A-Za-z0-9_][A-Za-z0-9_.:=@+-]{0,127}$`)

// checkPlace returns a place without a slash at its end. field is its name in the request. Places are folders below the
// one of Options.Exports, and nowhere else.
func checkPlace(field, uri string) (string, error) {
	rest, ok := strings.CutPrefix(strings.TrimSuffix(uri, "/"), placeScheme)
	if !ok {
		return "", fault.E(fault.InvalidArgument, "Invalid value for field '%s': expected gs://BUCKET or gs://BUCKET/PATH.", field)
	}
	segments := strings.Split(rest, "/")
	if len(uri) > maxPlace || len(segments) > maxSegments {
		return "", fault.E(fault.InvalidArgument, "Invalid value for field '%s': it has more than %d bytes or %d segments.", field, maxPlace, maxSegments)
	}
	for _, one := range segments {
		if !placeSegment.MatchString(one) {
			return "", fault.E(fault.InvalidArgument, "Invalid value for field '%s': this server has places of letters, digits and the characters _.:=@+- only, no segment of which begins with a dot.", field)
		}
	}
	return placeScheme + rest, nil
}

// isBucket reports whether a place is a whole bucket.
func isBucket(place string) bool {
	return !strings.Contains(strings.TrimPrefix(place, placeScheme), "/")
}

// folderOf returns the folder of a place.
func (a *API) folderOf(place string) string {
	return filepath.Join(a.o.Exports, filepath.FromSlash(strings.TrimPrefix(place, placeScheme)))
}

// exists returns the error for a place that has something already.
func exists(place string) error {
	return fault.E(fault.InvalidArgument, "Path already exists: /%s/%s.overall_export_metadata", strings.TrimPrefix(place, placeScheme), place[strings.LastIndexByte(place, '/')+1:])
}

// named returns an error of a transfer with the places of the API instead of the folders of this machine.
func (a *API) named(err error) error {
	if err == nil || fault.CodeOf(err) == fault.Internal {
		return err
	}
	of := fault.FromError(err)
	text := strings.ReplaceAll(of.Message, a.o.Exports+string(filepath.Separator), placeScheme)
	text = strings.ReplaceAll(text, a.o.Exports, "the folder of exports")
	cause := of.Unwrap() // the log has the text of the cause, but not of its cause
	if cause == nil {
		cause = err
	}
	return fault.Wrap(cause, of.Code, "%s", text)
}
