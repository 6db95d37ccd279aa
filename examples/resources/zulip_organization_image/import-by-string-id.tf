import {
  to = zulip_organization_image.logo["logo"]
  id = "logo"
}
