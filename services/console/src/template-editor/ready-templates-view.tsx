import { sampleFacts } from '@tocsin/template/browser';
import { useState } from 'react';
import { Button } from '../ui/index.js';
import { createInspector } from './inspect-template.js';
import type { ReadyTemplate } from './parse-ready-template.js';
import { pictureOf } from './picture.js';
import { PictureView } from './picture-view.js';
import { readyTemplates } from './ready-templates.js';

/** Lists the ready-made templates, each with a picture of how its destination displays the body. */
export function ReadyTemplates({
  isOpen,
  onChoose,
}: {
  isOpen: boolean;
  onChoose(template: ReadyTemplate): void;
}) {
  const [isAsked, setAsked] = useState(false);
  if (!isOpen && !isAsked) {
    return (
      <div>
        <Button onPress={() => setAsked(true)}>Start from a ready-made template</Button>
      </div>
    );
  }
  const choose = (template: ReadyTemplate) => {
    setAsked(false);
    onChoose(template);
  };
  return (
    <section className="card stack" aria-labelledby="ready-templates">
      <h2 id="ready-templates">Start from a ready-made template</h2>
      <ul className="ready-templates">
        {readyTemplates.map((template) => (
          <ReadyTemplateCard key={template.id} template={template} onChoose={choose} />
        ))}
      </ul>
      {isAsked && (
        <div>
          <Button onPress={() => setAsked(false)}>Keep the current template</Button>
        </div>
      )}
    </section>
  );
}

const inspect = createInspector(sampleFacts);

function ReadyTemplateCard({
  template,
  onChoose,
}: {
  template: ReadyTemplate;
  onChoose(template: ReadyTemplate): void;
}) {
  const [picture] = useState(() => {
    const { output } = inspect(template.body);
    return output === null ? undefined : pictureOf(JSON.parse(output));
  });
  return (
    <li className="ready-template">
      <h3>{template.title}</h3>
      <p className="muted">{template.summary}</p>
      {picture !== undefined && <PictureView picture={picture} />}
      <Button onPress={() => onChoose(template)}>{`Use ${template.title}`}</Button>
    </li>
  );
}
