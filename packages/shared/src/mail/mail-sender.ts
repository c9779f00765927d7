/** One message to one person; `text` and `html` say the same. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** `<id@host>`, the same for a letter that is sent again; made by the sender without it. */
  readonly messageId?: string;
}

export interface MailSender {
  /** Resolves when the next hop took it. */
  send(letter: Letter): Promise<unknown>;
  close(): void;
}

export interface MailTransport extends MailSender {
  /** Resolves with what the next hop answered, such as `250 OK`. */
  send(letter: Letter): Promise<string>;
}
