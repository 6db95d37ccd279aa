# The kind of picture, and after = the file that it shows
terraform import 'zulip_organization_image.logo["logo"]' logo=./logo.png
