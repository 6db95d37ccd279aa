# People with an email of the company or of its subsidiaries can join.
resource "zulip_domain" "company" {
  domain           = "example.com"
  allow_subdomains = true
}
