package console

import (
	"encoding/json"
	"slices"

	"clave/server/fault"
	"clave/server/identity"
	"clave/server/token"
)

// account returns the call of the account service that a request makes.
func (in *call) account(project, tenant string) identity.Call {
	if project == "" {
		project = in.console.o.Project
	}
	return identity.Call{Project: project, Tenant: tenant, Admin: true, Address: in.caller("").Address.String(), Origin: "http://" + in.console.o.Addresses.Auth}
}

// getCodes answers the codes that were sent and are still good, newest first.
func (c *Console) getCodes(in *call) (any, error) {
	about := in.account(in.query("project"), in.query("tenant"))
	oob, err := c.o.Accounts.SentCodes(in.Context(), about)
	if err != nil {
		return nil, err
	}
	sms, err := c.o.Accounts.SentSMSCodes(in.Context(), about)
	slices.Reverse(oob)
	slices.Reverse(sms)
	return map[string]any{"oob": oob, "sms": sms}, err
}

// postSignIn signs in as an account that is there, and answers its tokens.
func (c *Console) postSignIn(in *call) (any, error) {
	var body struct {
		place
		LocalID  string `json:"localId"`
		TenantID string `json:"tenantId"`
	}
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	about := in.account(body.Project, body.TenantID)
	found, err := c.o.Accounts.Lookup(in.Context(), about, &identity.LookupRequest{LocalID: []string{body.LocalID}})
	if err != nil {
		return nil, err
	}
	if len(found.Users) == 0 {
		return nil, fault.E(fault.NotFound, "There is no account %q.", body.LocalID)
	}
	ended, err := in.caller(about.Project).Change(func() token.Change {
		return token.Change{Method: "sign in as", Targets: []string{"account " + body.LocalID}, Count: 1}
	})
	if err != nil {
		return nil, err
	}
	custom, err := unsigned(body.LocalID, body.TenantID)
	if err != nil {
		return nil, err
	}
	out, err := c.o.Accounts.SignInWithCustomToken(in.Context(), about, &identity.CustomRequest{Token: &custom})
	ended(err)
	if err != nil {
		return nil, err
	}
	return out.Tokens, nil
}

// unsigned returns a custom token in the plain form that the emulator takes. Production refuses it.
func unsigned(uid, tenant string) (string, error) {
	claims := map[string]string{"uid": uid}
	if tenant != "" {
		claims["tenant_id"] = tenant
	}
	text, err := json.Marshal(claims)
	return string(text), err
}
