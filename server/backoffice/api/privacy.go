package api

import (
	"net/http"
	"strings"
	"time"

	"clave/server/backoffice"
)

// maxAddresses is the maximum number of addresses in a request for unsubscribe links or confirmations.
const maxAddresses = 200

// administrator returns the uid of the administrator whose ID token is in a request.
func (d *handler) administrator(r *http.Request) (string, error) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return d.service.Administrator(r.Context(), token)
}

// found holds the numbers of a person's documents that exist or were erased.
type found struct {
	Counts backoffice.Counts `json:"counts"`
	Total  int               `json:"total"`
}

// count answers POST /api/admin/datos/contar.
func (d *handler) count(r *http.Request) (int, any, error) {
	_, email, err := d.person(r)
	if err != nil {
		return 0, nil, err
	}
	counts, err := d.service.Count(r.Context(), email)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, found{counts, counts.Total()}, nil
}

// erase answers POST /api/admin/datos/borrar.
func (d *handler) erase(r *http.Request) (int, any, error) {
	by, email, err := d.person(r)
	if err != nil {
		return 0, nil, err
	}
	counts, err := d.service.Erase(r.Context(), by, email)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, found{counts, counts.Total()}, nil
}

// person returns the administrator who sends the request, and the address of the person whom it concerns. Others are
// refused before the request is read.
func (d *handler) person(r *http.Request) (by, email string, err error) {
	if by, err = d.administrator(r); err != nil {
		return "", "", err
	}
	var in struct {
		Email string `json:"email"`
	}
	err = read(r, &in)
	return by, in.Email, err
}

// addresses returns the addresses in the request of an administrator.
func (d *handler) addresses(r *http.Request) ([]string, error) {
	if _, err := d.administrator(r); err != nil {
		return nil, err
	}
	var in struct {
		Emails []string `json:"emails"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	if len(in.Emails) > maxAddresses {
		return nil, problem{http.StatusBadRequest, backoffice.InvalidArgument, "La solicitud no es válida."}
	}
	return in.Emails, nil
}

// confirmations answers POST /api/admin/boletin/confirmados.
func (d *handler) confirmations(r *http.Request) (int, any, error) {
	emails, err := d.addresses(r)
	if err != nil {
		return 0, nil, err
	}
	times, err := d.service.ConfirmedAt(r.Context(), emails)
	if err != nil {
		return 0, nil, err
	}
	confirmed := make([]*time.Time, len(times))
	for i := range times {
		if !times[i].IsZero() {
			confirmed[i] = &times[i]
		}
	}
	return http.StatusOK, struct {
		Confirmed []*time.Time `json:"confirmed"`
	}{confirmed}, nil
}

// unsubscribeTokens answers POST /api/admin/boletin/bajas.
func (d *handler) unsubscribeTokens(r *http.Request) (int, any, error) {
	emails, err := d.addresses(r)
	if err != nil {
		return 0, nil, err
	}
	tokens, err := d.service.UnsubscribeTokens(emails)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, struct {
		Tokens []string `json:"tokens"`
	}{tokens}, nil
}
