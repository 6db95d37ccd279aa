# Which picture, and after = the file that it was made from
terraform import 'zulip_organization_image.logo["logo"]' logo=./logo.png
