package backoffice

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/backoffice/picture"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/randid"
	"clave/server/internal/limit/rate"
)

// Pictures of events are documents: EventPictures/{id} has the time and the administrator of the upload, and its
// subcollection files has one document for each file. Rules deny both to clients; the back office serves the files at
// /imagenes/{id}/{name}.
const (
	pictureCollection = "EventPictures"
	fileCollection    = "files"
	// picturePath is the prefix of the addresses of pictures' files.
	picturePath = "/imagenes/"
)

// MaxUpload is the size of the largest upload, in bytes.
const MaxUpload = 5 << 20

// uploadRate is how often an administrator may upload a picture.
var uploadRate = rate.Rate{Burst: 20, Every: 30 * time.Second}

// The interval of the search for pictures that no event shows, and the time for which such pictures are kept: an event
// may be restored, or its form may still be open.
const (
	sweepInterval = 6 * time.Hour
	sweepTime     = 10 * time.Minute
	unusedTime    = 24 * time.Hour
)

// pictureID matches a picture's id: a random part, and the size of its largest file, which pages need before they load
// it.
var pictureID = regexp.MustCompile(`^[A-Za-z0-9]{20}-[0-9]{1,4}x[0-9]{1,4}$`)

// fileName matches a file's name.
var fileName = regexp.MustCompile(`^[a-z0-9]{1,16}\.(webp|jpg)$`)

// SavePicture stores the files of an upload and returns the address of its largest one.
func (s *Service) SavePicture(ctx context.Context, by string, upload []byte) (string, error) {
	if wait := s.uploads.Take(rate.Demand{Key: by, Rate: uploadRate}); wait > 0 {
		refusal := refuse(TooManyRequests, nil)
		refusal.RetryAfter = wait
		return "", refusal
	}
	set, err := s.makePicture(ctx, upload)
	if err != nil {
		return "", err
	}
	c, err := s.connect()
	if err != nil {
		return "", refuse(Internal, err)
	}
	id := fmt.Sprintf("%s-%dx%d", randid.New(20), set.Width, set.Height)
	ref := c.documents.Collection(pictureCollection).Doc(id)
	err = c.documents.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		for _, f := range set.Files {
			if err := tx.Create(ref.Collection(fileCollection).Doc(f.Name), map[string]any{"type": f.Type, "data": f.Data}); err != nil {
				return err
			}
		}
		return tx.Create(ref, map[string]any{"createdBy": by, "createdAt": s.options.Clock.Now(), "unusedSince": nil})
	})
	if err != nil {
		return "", refuse(Unavailable, fmt.Errorf("store a picture: %w", err))
	}
	return picturePath + id + "/" + set.Largest, nil
}

// makePicture creates the files of an upload, one upload at a time, because decoding takes up to 200 MB.
func (s *Service) makePicture(ctx context.Context, upload []byte) (*picture.Set, error) {
	select {
	case s.decoding <- struct{}{}:
		defer func() { <-s.decoding }()
	case <-ctx.Done():
		return nil, refuse(Unavailable, ctx.Err())
	}
	set, err := picture.Make(upload)
	switch {
	case err == nil:
		return set, nil
	case errors.Is(err, picture.ErrType):
		return nil, refuse(PictureType, nil)
	case errors.Is(err, picture.ErrPixels):
		return nil, refuse(PictureTooLarge, nil)
	case errors.Is(err, picture.ErrBroken):
		return nil, refuse(PictureBroken, err)
	default:
		return nil, refuse(Internal, err)
	}
}

// PictureFile returns a file of a picture and its media type, nil when there is none.
func (s *Service) PictureFile(ctx context.Context, id, name string) (data []byte, kind string, err error) {
	if !pictureID.MatchString(id) || !fileName.MatchString(name) {
		return nil, "", nil
	}
	c, err := s.connect()
	if err != nil {
		return nil, "", err
	}
	found, err := c.documents.Collection(pictureCollection).Doc(id).Collection(fileCollection).Doc(name).Get(ctx)
	if status.Code(err) == codes.NotFound {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("read picture %s/%s: %w", id, name, err)
	}
	fields := found.Data()
	data, _ = fields["data"].([]byte)
	kind, _ = fields["type"].(string)
	return data, kind, nil
}

// SweepPictures erases the pictures that no event and no draft has shown for a day, and returns their number.
func (s *Service) SweepPictures(ctx context.Context) (int, error) {
	c, err := s.connect()
	if err != nil {
		return 0, refuse(Internal, err)
	}
	shown, err := shownPictures(ctx, c.documents)
	if err != nil {
		return 0, refuse(Unavailable, err)
	}
	all, err := c.documents.Collection(pictureCollection).Documents(ctx).GetAll()
	if err != nil {
		return 0, refuse(Unavailable, fmt.Errorf("list pictures: %w", err))
	}
	erased := 0
	for _, p := range all {
		done, err := s.sweep(ctx, c.documents, p, shown[p.Ref.ID])
		if err != nil {
			return erased, refuse(Unavailable, fmt.Errorf("sweep picture %s: %w", p.Ref.ID, err))
		}
		if done {
			erased++
		}
	}
	return erased, nil
}

// pictureAddress matches the address of a picture's file.
var pictureAddress = regexp.MustCompile(`^` + picturePath + `([^/]+)/`)

// shownPictures returns the ids of the pictures that events and drafts show.
func shownPictures(ctx context.Context, documents *firestore.Client) (map[string]bool, error) {
	shown := make(map[string]bool)
	for _, name := range []string{eventCollection, draftCollection} {
		// Only the addresses of this path, by the index that every field has.
		found, err := documents.Collection(name).Where("imageUrl", ">=", picturePath).Where("imageUrl", "<", picturePath+"~").
			Select("imageUrl").Documents(ctx).GetAll()
		if err != nil {
			return nil, fmt.Errorf("find the pictures of %s: %w", name, err)
		}
		for _, event := range found {
			text, _ := event.Data()["imageUrl"].(string)
			if match := pictureAddress.FindStringSubmatch(text); match != nil {
				shown[match[1]] = true
			}
		}
	}
	return shown, nil
}

// sweep records whether a picture is shown, and erases one that has not been shown for a day.
func (s *Service) sweep(ctx context.Context, documents *firestore.Client, p *firestore.DocumentSnapshot, shown bool) (bool, error) {
	now := s.options.Clock.Now()
	since, marked := p.Data()["unusedSince"].(time.Time)
	switch {
	case shown == marked:
		var mark any
		if !shown {
			mark = now
		}
		_, err := p.Ref.Update(ctx, []firestore.Update{{Path: "unusedSince", Value: mark}})
		return false, err
	case shown || now.Sub(since) < unusedTime:
		return false, nil
	}
	files, err := p.Ref.Collection(fileCollection).Select().Documents(ctx).GetAll()
	if err != nil {
		return false, err
	}
	err = documents.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		for _, f := range files {
			if err := tx.Delete(f.Ref); err != nil {
				return err
			}
		}
		return tx.Delete(p.Ref)
	})
	return err == nil, err
}

// KeepPictures sweeps pictures at once and every six hours until ctx is done.
func (s *Service) KeepPictures(ctx context.Context) error {
	for {
		limited, cancel := context.WithTimeout(ctx, sweepTime)
		erased, err := s.SweepPictures(limited)
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			s.options.Log.ErrorContext(ctx, "pictures without an event could not be erased", "error", err)
		case erased > 0:
			s.options.Log.InfoContext(ctx, "pictures without an event were erased", "count", erased)
		}
		if clock.Sleep(ctx, s.options.Clock, sweepInterval) != nil {
			return nil
		}
	}
}
