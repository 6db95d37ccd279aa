# The same logo for the light and the dark theme
resource "zulip_organization_image" "logo" {
  for_each = toset(["logo", "night_logo"])

  kind = each.key
  file = "${path.module}/logo.png"
}
