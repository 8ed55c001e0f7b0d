package api

import (
	"net/http"

	"clave/server/backoffice"
)

// newsletter answers POST /api/admin/boletin/estado.
func (d *handler) newsletter(r *http.Request) (int, any, error) {
	if _, err := d.administrator(r); err != nil {
		return 0, nil, err
	}
	status, err := d.service.Newsletter(r.Context())
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, struct {
		Delivery  backoffice.Delivery `json:"delivery"`
		Confirmed int                 `json:"confirmed"`
	}{status.Delivery, status.Confirmed}, nil
}

// issue returns the administrator who sends the request and the issue of the newsletter in it.
func (d *handler) issue(r *http.Request) (by string, issue backoffice.Issue, err error) {
	if by, err = d.administrator(r); err != nil {
		return "", issue, err
	}
	var in struct {
		Subject string `json:"subject"`
		Text    string `json:"text"`
	}
	err = read(r, &in)
	return by, backoffice.Issue(in), err
}

// previewIssue answers POST /api/admin/boletin/vista.
func (d *handler) previewIssue(r *http.Request) (int, any, error) {
	_, issue, err := d.issue(r)
	if err != nil {
		return 0, nil, err
	}
	text, err := d.service.PreviewIssue(issue)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, struct {
		Text string `json:"text"`
	}{text}, nil
}

// testIssue answers POST /api/admin/boletin/prueba.
func (d *handler) testIssue(r *http.Request) (int, any, error) {
	by, issue, err := d.issue(r)
	if err != nil {
		return 0, nil, err
	}
	email, err := d.service.TestIssue(r.Context(), by, issue)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, struct {
		Email string `json:"email"`
	}{email}, nil
}

// startIssue answers POST /api/admin/boletin/enviar.
func (d *handler) startIssue(r *http.Request) (int, any, error) {
	by, issue, err := d.issue(r)
	if err != nil {
		return 0, nil, err
	}
	id, total, err := d.service.StartIssue(r.Context(), by, issue)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, struct {
		ID    string `json:"id"`
		Total int    `json:"total"`
	}{id, total}, nil
}
