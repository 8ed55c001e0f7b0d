package backoffice_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"clave/server/backoffice"
)

// photo returns a picture of a size. Its pixels depend on shade.
func photo(t *testing.T, width, height int) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = uint8(i % width)
	}
	m.Set(0, 0, color.White)
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// upload stores a picture and returns its address and its id.
func upload(t *testing.T, s *backoffice.Service) (address, id string) {
	t.Helper()
	address, err := s.SavePicture(t.Context(), "uid-1", photo(t, 700, 500))
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`^/imagenes/([A-Za-z0-9]{20}-700x500)/960\.webp$`).FindStringSubmatch(address)
	if match == nil {
		t.Fatalf("the picture's address is %q", address)
	}
	return address, match[1]
}

func TestSavePictureStoresItsFiles(t *testing.T) {
	s, _, _, _ := keeper(t)
	_, id := upload(t, s)
	for name, want := range map[string]string{"480.webp": "image/webp", "960.webp": "image/webp", "compartir.jpg": "image/jpeg"} {
		data, kind, err := s.PictureFile(t.Context(), id, name)
		if err != nil || kind != want || http.DetectContentType(data) != want {
			t.Errorf("%s is %d bytes of %q, %v, want %s", name, len(data), kind, err, want)
		}
	}
	for _, path := range [][2]string{{id, "1600.webp"}, {id, "../x.webp"}, {"other-1x1", "480.webp"}, {"a/b", "480.webp"}, {"", ""}} {
		if data, _, err := s.PictureFile(t.Context(), path[0], path[1]); data != nil || err != nil {
			t.Errorf("%v is %d bytes, %v, want none", path, len(data), err)
		}
	}
}

func TestSavePictureRefuses(t *testing.T) {
	s, _, _, _ := keeper(t)
	for name, tt := range map[string]struct {
		upload []byte
		want   backoffice.Name
	}{
		"text":        {[]byte("<svg/>"), backoffice.PictureType},
		"a torn file": {photo(t, 300, 300)[:200], backoffice.PictureBroken},
		"a large one": {photo(t, 20_000, 1_000), backoffice.PictureTooLarge},
	} {
		_, err := s.SavePicture(t.Context(), "uid-1", tt.upload)
		var refusal *backoffice.Refusal
		if !errors.As(err, &refusal) || refusal.Name != tt.want {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}

func TestUploadsAreLimitedForEachAdministrator(t *testing.T) {
	s, manual, _, _ := keeper(t)
	try := func(by string) backoffice.Name {
		_, err := s.SavePicture(t.Context(), by, nil)
		var refusal *backoffice.Refusal
		if !errors.As(err, &refusal) {
			t.Fatalf("an empty upload: %v", err)
		}
		return refusal.Name
	}
	for range 20 {
		if got := try("uid-1"); got != backoffice.PictureType {
			t.Fatalf("an upload within the limit: %s", got)
		}
	}
	if got := try("uid-1"); got != backoffice.TooManyRequests {
		t.Errorf("the 21st upload: %s, want %s", got, backoffice.TooManyRequests)
	}
	if got := try("uid-2"); got != backoffice.PictureType {
		t.Errorf("another administrator's upload: %s", got)
	}
	manual.Advance(30 * time.Second)
	if got := try("uid-1"); got != backoffice.PictureType {
		t.Errorf("an upload 30 s later: %s", got)
	}
}

// sweep runs the removal of unused pictures and checks how many were erased.
func sweep(t *testing.T, s *backoffice.Service, want int) {
	t.Helper()
	if n, err := s.SweepPictures(t.Context()); err != nil || n != want {
		t.Fatalf("SweepPictures = %d, %v, want %d", n, err, want)
	}
}

func TestPicturesAreErasedADayAfterTheirLastEvent(t *testing.T) {
	s, manual, _, documents := keeper(t)
	address, id := upload(t, s)
	unused, forgottenID := upload(t, s)
	show := func(collection, event, address string) *firestore.DocumentRef {
		ref := documents.Collection(collection).Doc(event)
		if _, err := ref.Set(t.Context(), map[string]any{"title": event, "imageUrl": address}); err != nil {
			t.Fatal(err)
		}
		return ref
	}
	event, copied := show("MusicEvent", "gala", address), show("MusicEventDrafts", "copy", address)
	show("MusicEvent", "elsewhere", "https://example.org"+unused)
	sweep(t, s, 0)
	manual.Advance(23 * time.Hour)
	sweep(t, s, 0)
	manual.Advance(time.Hour)
	sweep(t, s, 1)
	if got := ids(t, documents, "EventPictures"); strings.Join(got, " ") != id {
		t.Fatalf("pictures %v, want %s and not %s", got, id, forgottenID)
	}
	if data, _, err := s.PictureFile(t.Context(), forgottenID, "480.webp"); data != nil || err != nil {
		t.Errorf("a file of the erased picture is left: %d bytes, %v", len(data), err)
	}
	remove := func(ref *firestore.DocumentRef) {
		if _, err := ref.Delete(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	remove(event)
	sweep(t, s, 0)
	manual.Advance(48 * time.Hour)
	sweep(t, s, 0)
	remove(copied)
	sweep(t, s, 0)
	manual.Advance(23 * time.Hour)
	// The event is restored in time and deleted again. The period of one day begins again.
	restored := show("MusicEvent", "gala", address)
	sweep(t, s, 0)
	manual.Advance(2 * time.Hour)
	remove(restored)
	sweep(t, s, 0)
	manual.Advance(23 * time.Hour)
	sweep(t, s, 0)
	manual.Advance(time.Hour)
	sweep(t, s, 1)
	if got := ids(t, documents, "EventPictures"); len(got) != 0 {
		t.Errorf("pictures %v are left", got)
	}
}

func TestKeepPicturesEndsWithItsContext(t *testing.T) {
	s, _, log, _ := keeper(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.KeepPictures(ctx); err != nil || strings.Contains(log.String(), "ERROR") {
		t.Errorf("KeepPictures = %v, log:\n%s", err, log)
	}
}
