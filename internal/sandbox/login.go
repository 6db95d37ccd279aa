package sandbox

// fetchAPIKey is POST /fetch_api_key (https://zulip.com/api/fetch-api-key):
// anybody who has a person's password acts as that person from then on.
func fetchAPIKey(r *request) (fields, error) {
	password := required(r, "password", text())
	username := required(r, "username", text())
	if err := r.checked(); err != nil {
		return nil, err
	}
	u, err := r.org.Authenticate(username, password)
	if err != nil {
		return nil, err
	}
	answer := fields{"api_key": u.APIKey, "email": u.Email}
	r.add(answer, 171, "user_id", u.ID)
	return answer, nil
}

// regenerateOwnKey is POST /users/me/api_key/regenerate: the old key ends at once.
func regenerateOwnKey(r *request) (fields, error) {
	return fields{"api_key": r.org.RegenerateOwnKey(r.me)}, nil
}
