package settings

// DropDefender removes the account defender from the reCAPTCHA settings of a project or a tenant if reCAPTCHA is off
// for e-mail and password. As in production, only the response to the change that sets it shows it then.
func DropDefender(recaptcha any) {
	if fields, _ := recaptcha.(map[string]any); fields["emailPasswordEnforcementState"] == "OFF" {
		delete(fields, "useAccountDefender")
	}
}
