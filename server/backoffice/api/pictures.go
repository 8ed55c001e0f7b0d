package api

import (
	"errors"
	"io"
	"net/http"
	"time"

	"clave/server/backoffice"
	"clave/server/internal/base/clock"
)

// uploadTime is the time limit of an upload: 5 MB over a slow connection.
const uploadTime = 2 * time.Minute

// picture handles POST /api/admin/imagenes: the body is the picture; Content-Type is ignored.
func (d *handler) picture(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		d.refuse(w, r, problem{http.StatusMethodNotAllowed, "method-not-allowed", "Usa POST."})
		return
	}
	// Others are refused before the request is read.
	by, err := d.administrator(r)
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	upload, err := readUpload(w, r)
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	address, err := d.service.SavePicture(r.Context(), by, upload)
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	write(w, http.StatusCreated, struct {
		URL string `json:"url"`
	}{address})
}

// readUpload reads the body of a picture's request within uploadTime.
func readUpload(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	deadline := clock.System().Now().Add(uploadTime)
	if err := errors.Join(control.SetReadDeadline(deadline), control.SetWriteDeadline(deadline.Add(uploadTime))); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil, err
	}
	upload, err := io.ReadAll(http.MaxBytesReader(w, r.Body, backoffice.MaxUpload))
	var long *http.MaxBytesError
	switch {
	case err == nil:
		return upload, nil
	case errors.As(err, &long):
		return nil, problem{http.StatusRequestEntityTooLarge, backoffice.PictureTooLarge, "La imagen pesa más de 5 MB."}
	default:
		return nil, problem{http.StatusBadRequest, backoffice.InvalidArgument, "La imagen no llegó completa. Intenta de nuevo."}
	}
}
