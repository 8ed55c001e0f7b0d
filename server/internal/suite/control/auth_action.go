package control

import (
	"context"
	"net/http"
	"net/url"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/updateform"
	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/httpjson"
)

// linkAction is what a link that was sent by e-mail does. The texts are the official emulator's.
type linkAction struct {
	// invalid and again are the error and the instructions for a code that is not valid.
	invalid, again string
	// done is the text of success, and shown the name of the address in the response.
	done, shown string
	// follow uses the code, and returns the account's address.
	follow func(ctx context.Context, s *service.Service, c service.Call, q url.Values) (email string, err error)
}

// linkActions are the actions by the link's mode, except for sign-ins, which the application finishes itself.
var linkActions = map[string]linkAction{
	"recoverEmail": {
		"Requested mode does not match the OOB code provided.",
		"If you're trying to test the reverting email flow, try changing the email again to generate a new link.",
		"The email has been successfully reset.", "email", recoverAddress,
	},
	"verifyEmail": {
		"Your request to verify your email has expired or the link has already been used.", "Try verifying your email again.",
		"The email has been successfully verified.", "email", applyCode,
	},
	"verifyAndChangeEmail": {
		"Your request to change your email has expired or the link has already been used.", "Try changing your email again.",
		"The email has been successfully changed.", "newEmail", applyCode,
	},
	"resetPassword": {
		"Your request to reset your password has expired or the link has already been used.", "Try resetting your password again.",
		"The password has been successfully updated.", "email", resetPassword,
	},
}

// action follows a link that was sent by e-mail, as the page of the link would.
func (h *accounts) action(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	for _, name := range [...]string{"apiKey", "oobCode"} {
		if q.Get(name) == "" {
			example := map[string]string{"apiKey": "YOUR_API_KEY", "oobCode": "YOUR_OOB_CODE"}[name]
			actionError(w, "missing "+name+" query parameter", "Please modify the URL to specify an "+name+", such as ...&"+name+"="+example)
			return
		}
	}
	mode := q.Get("mode")
	if mode == "signIn" {
		signInByLink(w, r, q)
		return
	}
	action, ok := linkActions[mode]
	if !ok {
		authEmulator(w, http.StatusBadRequest, map[string]any{"error": "Invalid mode"})
		return
	}
	call := service.Call{Project: h.service.Project(), Tenant: q.Get("tenantId"), Address: r.RemoteAddr, Origin: "http://" + r.Host, Locale: q.Get("lang")}
	// A person who opens the link gets the text of checkCode, which explains how to add the new password to it.
	if mode == "resetPassword" && lacksPassword(q) && h.checkCode(w, r, call, q) {
		return
	}
	email, err := action.follow(r.Context(), h.service, call, q)
	switch to := continueURL(q); {
	case err != nil && fault.FromError(err).Message == "INVALID_OOB_CODE":
		actionError(w, action.invalid, action.again)
	case err != nil:
		reply(w, nil, err)
	case mode != "recoverEmail" && to != nil:
		http.Redirect(w, r, to.String(), http.StatusSeeOther)
	default:
		authEmulator(w, http.StatusOK, map[string]any{"success": action.done, action.shown: email})
	}
}

// newPasswordHere stands for the password in the link that is shown.
const newPasswordHere = "NEW_PASSWORD_HERE"

// lacksPassword reports whether a link has no new password, or only the placeholder.
func lacksPassword(q url.Values) bool {
	password := q.Get("newPassword")
	return password == "" || password == newPasswordHere
}

// checkCode responds to a link that resets a password and has none. It reports false, and responds nothing, if the
// link's code is not valid.
func (h *accounts) checkCode(w http.ResponseWriter, r *http.Request, call service.Call, q url.Values) bool {
	email, err := codeFor(r.Context(), h.service, call, q, "PASSWORD_RESET")
	if err != nil {
		return false
	}
	fields := map[string]any{
		"error":         "missing newPassword query parameter",
		"instructions":  "To reset the password for " + email + ", send an HTTP GET request to the following URL.",
		"instructions2": "You may use a web browser or any HTTP client, such as curl.",
	}
	if q.Has("newPassword") && q.Get("newPassword") != "" {
		fields["error"] = "newPassword must be something other than '" + newPasswordHere + "'"
		fields["instructions"] = "The string '" + newPasswordHere + "' is just a placeholder."
		fields["instructions2"] = "Please change the URL to specify a new password instead."
	}
	q.Set("newPassword", newPasswordHere)
	fields["urlTemplate"] = h.service.LinkOrigin(call) + r.URL.Path + "?" + q.Encode()
	authEmulator(w, http.StatusBadRequest, fields)
	return true
}

// codeFor checks the code of a link, and returns the address it was sent for. It returns INVALID_OOB_CODE for a code of
// another type.
func codeFor(ctx context.Context, s *service.Service, c service.Call, q url.Values, kind string) (email string, err error) {
	code := q.Get("oobCode")
	made, err := s.ResetPassword(ctx, c, &service.ResetRequest{OobCode: &code})
	switch {
	case err != nil:
		return "", err
	case string(made.RequestType) != kind:
		return "", fault.E(fault.InvalidArgument, "INVALID_OOB_CODE")
	}
	return made.Email, nil
}

// applyCode verifies or changes an address.
func applyCode(ctx context.Context, s *service.Service, c service.Call, q url.Values) (email string, err error) {
	code := q.Get("oobCode")
	res, err := s.Update(ctx, c, &updateform.Request{OobCode: &code})
	if err != nil {
		return "", err
	}
	return res.Email, nil
}

// recoverAddress restores an account's former address.
func recoverAddress(ctx context.Context, s *service.Service, c service.Call, q url.Values) (email string, err error) {
	if _, err := codeFor(ctx, s, c, q, "RECOVER_EMAIL"); err != nil {
		return "", err
	}
	return applyCode(ctx, s, c, q)
}

// resetPassword sets the new password of the link.
func resetPassword(ctx context.Context, s *service.Service, c service.Call, q url.Values) (email string, err error) {
	if _, err := codeFor(ctx, s, c, q, "PASSWORD_RESET"); err != nil {
		return "", err
	}
	code, password := q.Get("oobCode"), q.Get("newPassword")
	res, err := s.ResetPassword(ctx, c, &service.ResetRequest{OobCode: &code, NewPassword: &password})
	if err != nil {
		return "", err
	}
	return res.Email, nil
}

// signInByLink redirects to the application, which finishes the sign-in with the link's parameters.
func signInByLink(w http.ResponseWriter, r *http.Request, q url.Values) {
	to := continueURL(q)
	switch {
	case to == nil && q.Get("continueUrl") != "":
		actionError(w, "Invalid continueUrl query parameter", "To sign in, append the URL of your app, which begins with http:// or https://.")
		return
	case to == nil:
		actionError(w, "Missing continueUrl query parameter", "To sign in, append &continueUrl=YOUR_APP_URL to the link.")
		return
	}
	all := to.Query()
	for name, values := range q {
		if name != "continueUrl" {
			all[name] = values
		}
	}
	to.RawQuery = all.Encode()
	http.Redirect(w, r, to.String(), http.StatusSeeOther)
}

// continueURL returns the URL to which a link continues, or nil if it has none or one that is not an http or https URL:
// a browser would run a script in the URL.
func continueURL(q url.Values) *url.URL {
	to, err := url.Parse(q.Get("continueUrl"))
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
		return nil
	}
	return to
}

// actionError responds with the error of a link.
func actionError(w http.ResponseWriter, text, instructions string) {
	authEmulator(w, http.StatusBadRequest, map[string]any{"error": text, "instructions": instructions})
}

// authEmulator responds with fields in the official emulator's form.
func authEmulator(w http.ResponseWriter, status int, fields map[string]any) {
	httpjson.Write(w, status, map[string]any{"authEmulator": fields})
}
