import Payments

/// The messages of a payment to the cardholder at the reader, in the cardholder's language (EMV Book 4 §11.1 and
/// §11.2).
struct ReaderWords: Sendable {
    let insert: String
    let swipe: String
    let insertOrSwipe: String
    let reading: String
    let verifying: String
    /// Asks for the PIN on the reader's own keys.
    let pinOnReader: String
    let contactingIssuer: String
    let remove: String
    private let outcomes: (approved: String, declined: String, canceled: String)

    private init(
        card: (insert: String, swipe: String, insertOrSwipe: String, remove: String), reading: String,
        verifying: String, pinOnReader: String, contactingIssuer: String,
        outcomes: (approved: String, declined: String, canceled: String)
    ) {
        (insert, swipe, insertOrSwipe, remove) = card
        (self.reading, self.verifying, self.pinOnReader) = (reading, verifying, pinOnReader)
        (self.contactingIssuer, self.outcomes) = (contactingIssuer, outcomes)
    }

    /// Returns the outcome of a payment; nil when the clerk must decide what to say.
    func outcome(_ outcome: Payment.Outcome) -> String? {
        switch outcome {
        case .approved: outcomes.approved
        case .declined: outcomes.declined
        case .canceled: outcomes.canceled
        case .failed, .unknown, .pending: nil
        }
    }

    init(_ language: ReceiptLanguage) {
        switch language {
        case .english:
            self.init(
                card: ("Insert the card …", "Swipe the card …", "Insert or swipe the card …", "Remove the card."),
                reading: "Reading the card. Do not remove it …", verifying: "Verifying the cardholder …",
                pinOnReader: "Enter the PIN on the reader …", contactingIssuer: "Contacting the issuer …",
                outcomes: ("Payment approved.", "Payment declined.", "Payment canceled."))
        case .spanish:
            self.init(
                card: (
                    "Inserte la tarjeta …", "Deslice la tarjeta …", "Inserte o deslice la tarjeta …",
                    "Retire la tarjeta."
                ),
                reading: "Leyendo la tarjeta. No la retire …", verifying: "Verificando al titular …",
                pinOnReader: "Introduzca el PIN en el lector …", contactingIssuer: "Consultando al emisor …",
                outcomes: ("Pago aprobado.", "Pago rechazado.", "Pago cancelado."))
        case .french:
            self.init(
                card: (
                    "Insérez la carte …", "Glissez la carte …", "Insérez ou glissez la carte …", "Retirez la carte."
                ),
                reading: "Lecture de la carte. Ne la retirez pas …", verifying: "Vérification du titulaire …",
                pinOnReader: "Tapez votre code sur le lecteur …", contactingIssuer: "Appel de l'émetteur …",
                outcomes: ("Paiement accepté.", "Paiement refusé.", "Paiement abandonné."))
        case .german:
            self.init(
                card: (
                    "Karte einstecken …", "Karte durchziehen …", "Karte einstecken oder durchziehen …",
                    "Karte entnehmen."
                ),
                reading: "Die Karte wird gelesen. Nicht entnehmen …", verifying: "Der Karteninhaber wird geprüft …",
                pinOnReader: "PIN am Lesegerät eingeben …", contactingIssuer: "Anfrage beim Herausgeber der Karte …",
                outcomes: ("Zahlung genehmigt.", "Zahlung abgelehnt.", "Zahlung abgebrochen."))
        case .italian:
            self.init(
                card: (
                    "Inserire la carta …", "Strisciare la carta …", "Inserire o strisciare la carta …",
                    "Togliere la carta."
                ),
                reading: "Lettura della carta. Non toglierla …", verifying: "Verifica del titolare …",
                pinOnReader: "Digitare il PIN sul lettore …", contactingIssuer: "Richiesta all'emittente …",
                outcomes: ("Pagamento approvato.", "Pagamento rifiutato.", "Pagamento annullato."))
        case .portuguese:
            self.init(
                card: ("Insira o cartão …", "Passe o cartão …", "Insira ou passe o cartão …", "Retire o cartão."),
                reading: "A ler o cartão. Não o retire …", verifying: "A verificar o titular …",
                pinOnReader: "Introduza o PIN no leitor …", contactingIssuer: "A contactar o emissor …",
                outcomes: ("Pagamento aprovado.", "Pagamento recusado.", "Pagamento interrompido."))
        case .japanese:
            self.init(
                card: (
                    "カードを挿入してください…", "カードをスライドしてください…", "カードを挿入またはスライドしてください…",
                    "カードをお取りください。"
                ),
                reading: "カードを読み取っています。抜かないでください…", verifying: "ご本人の確認をしています…",
                pinOnReader: "リーダーで暗証番号を入力してください…", contactingIssuer: "カード会社に照会しています…",
                outcomes: ("お支払いが承認されました。", "お支払いは承認されませんでした。", "お支払いは中止されました。"))
        case .arabic:
            self.init(
                card: ("أدخل البطاقة …", "مرر البطاقة …", "أدخل البطاقة أو مررها …", "اسحب البطاقة."),
                reading: "تجري قراءة البطاقة. لا تسحبها …", verifying: "يجري التحقق من حامل البطاقة …",
                pinOnReader: "أدخل الرقم السري على القارئ …", contactingIssuer: "يجري الاتصال بمصدر البطاقة …",
                outcomes: ("قُبلت العملية.", "رُفضت العملية.", "أُلغيت العملية."))
        }
    }
}
