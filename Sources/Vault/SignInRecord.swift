internal import Networking

/// What a vault holds, as one JSON object.
enum SignInRecord {
    /// In bytes.
    static let longest = 16_384

    private static let version = 1

    private enum Kind: String { case wordPressDotcom, site, applicationPassword }

    static func bytes(_ signIn: SignIn) -> [UInt8] {
        var members = [JSONValue.Member("version", JSONValue(version))]
        func add(_ name: String, _ value: String?) {
            if let value { members.append(JSONValue.Member(name, .text(value))) }
        }
        switch signIn.credentials {
        case .wordPressDotcom(let username, let token, let site):
            add("kind", Kind.wordPressDotcom.rawValue)
            add("username", username)
            add("secret", token.revealed())
            add("site", site?.text)
        case .site(let username, let password, let site):
            add("kind", Kind.site.rawValue)
            add("username", username)
            add("secret", password.revealed())
            add("site", site.text)
        case .applicationPassword(let password, let site):
            add("kind", Kind.applicationPassword.rawValue)
            add("username", password.username)
            add("secret", password.password.revealed())
            add("uuid", password.uuid)
            add("site", site.text)
        }
        add("dotcom", signIn.dotcom.text)
        if let siteID = signIn.siteID { members.append(JSONValue.Member("siteID", JSONValue(siteID))) }
        return Array((JSONValue.object(members).jsonText + "\n").utf8)
    }

    /// `place`: where the bytes were, for errors.
    static func signIn(_ bytes: [UInt8], from place: String) throws(VaultError) -> SignIn {
        func failure(_ reason: String) -> VaultError { .malformed(place: place, reason: reason) }
        let record: JSONValue
        do throws(JSONSyntaxError) { record = try JSONDocument(bytes).value } catch {
            throw failure("they are not JSON")
        }
        guard case .number(let text) = record["version"], let found = Int(text) else {
            throw failure("they have no version")
        }
        guard found <= version else { throw .newerVersion(place: place, found: found) }
        func word(_ name: String) throws(VaultError) -> String {
            guard case .text(let text) = record[name] else { throw failure("'\(name)' is missing") }
            return text
        }
        func address(_ name: String) throws(VaultError) -> WebAddress {
            let text = try word(name)
            do throws(WebAddressError) { return try WebAddress(text) } catch {
                throw failure("'\(name)' is no address")
            }
        }
        guard let kind = Kind(rawValue: try word("kind")) else { throw failure("their kind is unknown") }
        let (username, secret) = (try word("username"), Secret(try word("secret")))
        let credentials: Credentials =
            switch kind {
            case .wordPressDotcom:
                .wordPressDotcom(
                    username: username, token: secret, site: record["site"] == nil ? nil : try address("site"))
            case .site: .site(username: username, password: secret, site: try address("site"))
            case .applicationPassword:
                .applicationPassword(
                    ApplicationPassword(username: username, password: secret, uuid: record["uuid"]?.textValue),
                    site: try address("site"))
            }
        var siteID: Int64?
        if let value = record["siteID"] {
            guard case .number(let digits) = value, let number = Int64(digits) else {
                throw failure("'siteID' is no number")
            }
            siteID = number
        }
        return SignIn(credentials: credentials, dotcom: try address("dotcom"), siteID: siteID)
    }
}
